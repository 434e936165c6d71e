import { ProviderError, retryOf } from '@sluice/errors';
import type { Association, AssociationType } from '@sluice/types';
import type { ObjectCall } from '../requests';
import type { ProviderFailure } from '../results';
import { toFailure } from '../signals';
import type { HubspotApi } from './call-hubspot';
import { readSchema, type ObjectSchema, type SchemaCache } from './read-properties';
import { canonicalObjectName } from './urls';

/** A record that was written, and what it shall be linked to. */
export interface Linkable {
  readonly recordId: string;
  readonly associations: readonly Association[];
}

/** One link to make, of the record at `index`. All its types point to one object. */
export interface Link {
  readonly index: number;
  readonly from: string;
  readonly to: string;
  readonly types: AssociationType[];
}

/** A link that was not made, of the record at `index`. */
export interface MissedLink {
  readonly index: number;
  readonly failure: ProviderFailure;
}

/** Links by the object they point to, and the records with a type that points nowhere we know. */
interface ResolvedLinks {
  readonly byTarget: ReadonlyMap<string, Link[]>;
  readonly unresolved: readonly MissedLink[];
}

/**
 * Finds out which object each association points to: HubSpot's path names it, the builder's type id does not.
 * The account's schema is asked at most once, and only for types that are not HubSpot's well-known ones.
 */
export async function resolveLinks(
  api: HubspotApi,
  cache: SchemaCache,
  call: ObjectCall,
  records: readonly Linkable[],
): Promise<ResolvedLinks> {
  const typed = records.flatMap(({ recordId, associations }, index) =>
    associations.flatMap(({ to, types }) => types.map((type) => ({ index, from: recordId, to: to.id, type }))),
  );
  const needsSchema = typed.some(({ type }) => wellKnownTarget(call.objectName, type) === undefined);
  const asked = needsSchema ? await askSchema(api, cache, call) : {};
  const byTarget = new Map<string, Map<string, Link>>();
  const unresolved: MissedLink[] = [];
  for (const { type, ...ends } of typed) {
    const target = wellKnownTarget(call.objectName, type) ?? schemaTarget(asked.schema, type);
    if (target === undefined) unresolved.push({ index: ends.index, failure: asked.failure ?? unknownType(type) });
    else addLink(byTarget, target, ends, type);
  }
  const lists = [...byTarget].map(([target, links]): [string, Link[]] => [target, [...links.values()]]);
  return { byTarget: new Map(lists), unresolved };
}

/** Several types of one pair are one link. */
function addLink(
  byTarget: Map<string, Map<string, Link>>,
  target: string,
  ends: Omit<Link, 'types'>,
  type: AssociationType,
): void {
  const links = byTarget.get(target) ?? new Map<string, Link>();
  byTarget.set(target, links);
  const pair = `${ends.index} ${ends.to}`;
  const link = links.get(pair) ?? { ...ends, types: [] };
  links.set(pair, link);
  link.types.push(type);
}

/** A schema that cannot be read now may be readable at the next attempt; one that is refused leaves the type unknown. */
async function askSchema(
  api: HubspotApi,
  cache: SchemaCache,
  call: ObjectCall,
): Promise<{ schema?: ObjectSchema; failure?: ProviderFailure }> {
  try {
    const schema = await readSchema(api, cache, call);
    return schema ? { schema } : {};
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return retryOf(error.class) === 'never' ? {} : { failure: toFailure(error) };
  }
}

function unknownType({ associationCategory, associationTypeId }: AssociationType): ProviderFailure {
  const message = `HubSpot does not tell which object the association type ${associationTypeId} of ${associationCategory} points to`;
  return { class: 'rejected', scope: 'record', message };
}

/**
 * HubSpot's own association types by the object they begin at: type id to the object they point to; the primary one
 * after the plain one. Source: reference A4.
 */
const wellKnown: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  contacts: { 279: 'companies', 1: 'companies', 4: 'deals', 15: 'tickets' },
  companies: { 280: 'contacts', 2: 'contacts', 342: 'deals', 6: 'deals', 340: 'tickets', 25: 'tickets' },
  deals: { 3: 'contacts', 341: 'companies', 5: 'companies', 27: 'tickets' },
  tickets: { 16: 'contacts', 339: 'companies', 26: 'companies', 28: 'deals' },
};

/** The object that a type points to, where that is known without asking the account. Ids of other categories are the account's own. */
function wellKnownTarget(objectName: string, type: AssociationType): string | undefined {
  if (type.associationCategory !== 'HUBSPOT_DEFINED') return undefined;
  return wellKnown[canonicalObjectName(objectName)]?.[type.associationTypeId];
}

/** The same by the account's schema. Undefined also where the schema has the id twice, for different objects. */
function schemaTarget(schema: ObjectSchema | undefined, type: AssociationType): string | undefined {
  const [target, ...others] = schema?.targets.get(String(type.associationTypeId)) ?? [];
  return others.length === 0 ? target : undefined;
}
