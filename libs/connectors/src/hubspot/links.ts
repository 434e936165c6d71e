import { ProviderError, retryOf } from '@sluice/errors';
import type { Association, AssociationType } from '@sluice/types';
import { isJson, type Json } from '../http-client';
import { toFailure } from '../provider-call';
import type { ObjectCall } from '../requests';
import type { ProviderFailure, RecordResult } from '../results';
import { type HubspotApi, itemFailure } from './call-hubspot';
import { readSchema } from './describe';
import { unanswered } from './failure-tables';
import { canonicalObjectName, isOver, type ObjectSchema, paths, readBatch, textsOf, type WireError } from './wire';

/** Links of one call. Source: reference A4. */
const linksMax = 2_000;
/** Calls that may be spent on finding out which links made HubSpot refuse all of them. One bad link of 100 takes 14. [own] */
const extraCallsMax = 16;

/** Makes links that point to one object. Returns those that were not made. */
async function linkAll(
  api: HubspotApi,
  call: ObjectCall,
  target: string,
  links: readonly Link[],
): Promise<MissedLink[]> {
  const missed: MissedLink[] = [];
  const open: (readonly Link[])[] = [];
  for (let at = 0; at < links.length; at += linksMax) open.push(links.slice(at, at + linksMax));
  let extraCalls = 0;
  for (let some = open.shift(); some; some = open.shift()) {
    const { failure, missed: alone } = await sendLinks(api, call, target, some);
    if (failure && isOneRecords(failure) && some.length > 1 && extraCalls < extraCallsMax) {
      // One caller's wrong id must not cost the others of an automatic batch their associations.
      extraCalls += 2;
      const half = Math.ceil(some.length / 2);
      open.push(some.slice(0, half), some.slice(half));
    } else missed.push(...alone);
  }
  return missed;
}

/** The call was refused for what may be wrong with a single link. */
function isOneRecords({ class: failureClass }: ProviderFailure): boolean {
  return failureClass === 'rejected' || failureClass === 'not-found' || failureClass === 'conflict';
}

interface Linked {
  /** Why the whole call failed. */
  readonly failure?: ProviderFailure;
  readonly missed: readonly MissedLink[];
}

/** `POST /associations/{from}/{to}/batch/create`. Links are made that the results have with both of their ends. Source: reference A4, 1a. */
async function sendLinks(api: HubspotApi, call: ObjectCall, target: string, links: readonly Link[]): Promise<Linked> {
  const inputs = links.map(({ from, to, types }) => ({ from: { id: from }, to: { id: to }, types }));
  const path = paths.associations(call.objectName, target);
  const answer = await api.call({ operation: 'associate', method: 'POST', path, body: { inputs } }, call);
  if (!answer.ok) {
    const { failure } = answer;
    return { failure, missed: links.map(({ index }) => ({ index, failure })) };
  }
  const { errors, status } = readBatch(answer.body);
  const open = unmade(links, answer.body);
  const reported = errors.flatMap((error) => {
    const failure = itemFailure(error, 'create', call.auth.accessToken);
    return blamed(error, links, open).map((one) => ({ one, failure }));
  });
  const hasError = new Set(reported.map(({ one }) => one));
  const silent = open.filter((one) => !hasError.has(one)).map((one) => ({ one, failure: unreported(status) }));
  return { missed: [...reported, ...silent].map(({ one, failure }) => ({ index: one.index, failure })) };
}

/** Neither a result nor an error: the link is not taken for made, as a record that a reply leaves out is not taken for written. */
function unreported(status: string | undefined): ProviderFailure {
  const row = isOver(status) ? unanswered.association : unanswered.pendingAssociation;
  return { class: row.class, scope: 'record', message: "HubSpot's reply does not show it" };
}

/**
 * The links that an error is about: those of which it names both ends (made by another of its types or not), else one, else all that
 * are not in the results. Its context has ids alone or inside a text: `CONTACT=1, COMPANY=2`.
 */
function blamed(error: WireError, links: readonly Link[], open: readonly Link[]): readonly Link[] {
  const texts = Object.values(error.context).flatMap(textsOf);
  const named = new Set(texts.flatMap((text) => text.match(/\d+/g) ?? []));
  const byBoth = links.filter(({ from, to }) => named.has(to) && named.has(from));
  const byOne = open.filter(({ from, to }) => named.has(to) || named.has(from));
  return [byBoth, byOne].find(({ length }) => length > 0) ?? open;
}

function unmade(links: readonly Link[], body: Json): readonly Link[] {
  const results: unknown[] = Array.isArray(body['results']) ? body['results'] : [];
  const made = new Set(results.filter(isJson).map((result) => `${idOf(result, 'from')} ${idOf(result, 'to')}`));
  return links.filter(({ from, to }) => !made.has(`${from} ${to}`));
}

/** Ids are numbers beside the object's type id, or texts inside a member of their own. */
function idOf(result: Json, end: 'from' | 'to'): string | undefined {
  const inner = result[end];
  return textsOf(result[`${end}ObjectId`] ?? (isJson(inner) ? inner['id'] : undefined))[0];
}

/** A record with the outcome of its fields. */
interface Updated extends Linkable {
  readonly result: RecordResult;
  /** False: no field was sent, the associations are the whole update. */
  readonly hasFields: boolean;
}

/**
 * Makes the associations of records that were just updated: one call per object they point to, however many records
 * there are. HubSpot takes none with the update itself. Source: reference A2, A4.
 * A failure that may pass keeps the record unfinished, so that its update is repeated as a whole: both halves can be
 * sent twice. A failure that stays is a warning where the fields were written, and the outcome where there were none.
 */
export async function associate(
  api: HubspotApi,
  call: ObjectCall,
  records: readonly Updated[],
): Promise<RecordResult[]> {
  const linkable = records.map((record) => (record.result.ok ? record : { ...record, associations: [] }));
  const { byTarget, unresolved } = await resolveLinks(api, call, linkable);
  const missed = [...unresolved];
  for (const [target, links] of byTarget) {
    // A blocked account gets no further request.
    const blocked = missed.find(({ failure }) => failure.scope === 'lane')?.failure;
    missed.push(
      ...(blocked ? links.map(({ index }) => ({ index, failure: blocked })) : await linkAll(api, call, target, links)),
    );
  }
  return records.map((record, index) => {
    const failures = missed.filter((each) => each.index === index).map(({ failure }) => failure);
    return failures.reduce((result, failure) => settle(result, failure, record.hasFields), record.result);
  });
}

function settle(result: RecordResult, failure: ProviderFailure, hasFields: boolean): RecordResult {
  if (!result.ok) return result;
  const done = hasFields ? 'The record was updated, an' : 'An';
  const message = `${done} association was not made: ${failure.message}`;
  const isFinal = retryOf(failure.class) === 'never';
  if (isFinal && hasFields) return { ...result, warnings: [...(result.warnings ?? []), message] };
  // An association may be made twice, so it does not matter whether it was made.
  const isAmbiguous = failure.class === 'unknown' || failure.class === 'timeout';
  return { ok: false, error: { ...failure, message, ...(isAmbiguous && { class: 'unavailable' }) } };
}

/** A record that was written, and what it shall be linked to. */
interface Linkable {
  readonly recordId: string;
  readonly associations: readonly Association[];
}

/** One link to make, of the record at `index`. All its types point to one object. */
interface Link {
  readonly index: number;
  readonly from: string;
  readonly to: string;
  readonly types: AssociationType[];
}

/** A link that was not made, of the record at `index`. */
interface MissedLink {
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
 * The account's schema is read at most once, and only for types that are not HubSpot's well-known ones.
 */
async function resolveLinks(api: HubspotApi, call: ObjectCall, records: readonly Linkable[]): Promise<ResolvedLinks> {
  const typed = records.flatMap(({ recordId, associations }, index) =>
    associations.flatMap(({ to, types }) => types.map((type) => ({ index, from: recordId, to: to.id, type }))),
  );
  const needsSchema = typed.some(({ type }) => wellKnownTarget(call.objectName, type) === undefined);
  const read = needsSchema ? await trySchema(api, call) : {};
  const byTarget = new Map<string, Map<string, Link>>();
  const unresolved: MissedLink[] = [];
  for (const { type, ...ends } of typed) {
    const target = wellKnownTarget(call.objectName, type) ?? schemaTarget(read.schema, type);
    if (target === undefined) unresolved.push({ index: ends.index, failure: read.failure ?? unknownType(type) });
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
async function trySchema(
  api: HubspotApi,
  call: ObjectCall,
): Promise<{ schema?: ObjectSchema; failure?: ProviderFailure }> {
  try {
    const schema = await readSchema(api, call);
    return schema ? { schema } : {};
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return retryOf(error.class) === 'never' ? {} : { failure: toFailure(error) };
  }
}

function unknownType({ associationCategory, associationTypeId }: AssociationType): ProviderFailure {
  const message = `HubSpot's schema does not show which object the association type ${associationTypeId} of ${associationCategory} points to`;
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
