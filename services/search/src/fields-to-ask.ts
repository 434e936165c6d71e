import type { Auth, Connector } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import type { FieldNames, SearchableObject } from './searchable-object';
import type { ProviderFilter } from './provider-filters';

/** One search, as far as it decides which fields are read. */
export interface FieldChoice {
  readonly object: SearchableObject;
  readonly names: FieldNames;
  readonly filters: readonly ProviderFilter[];
}

interface Call {
  readonly auth: Auth;
  readonly objectName: string;
  readonly traceparent: string;
}

/**
 * The provider fields of a search: the declared, the mapped and the filtered ones. All fields of the account are added where the config or the
 * manifest requires it, or where nothing is declared. A field set to false in `selectedFields` is not among "all". Spec is silent; rulings, "fields
 * asked".
 */
export async function fieldsToAsk(connector: Connector, call: Call, choice: FieldChoice): Promise<string[]> {
  const { names, filters, object } = choice;
  const mapped = [...names.mapped.values()].flatMap((field) => field ?? []);
  const unmapped = names.unmapped.flatMap((name) => names.fieldOf(name) ?? []);
  const fieldNames = [...unmapped, ...mapped, ...filters.map(({ field }) => field)];
  const all = wantsAll(choice) ? await readableFields(connector, call) : [];
  const unwanted = new Set(
    Object.entries(object.config?.selectedFields ?? {}).flatMap(([name, isRead]) =>
      isRead ? [] : [(names.fieldOf(name) ?? name).toLowerCase()],
    ),
  );
  return unique([...all.filter((name) => !unwanted.has(name.toLowerCase())), ...fieldNames]);
}

function wantsAll({ object: { declared, config }, names }: FieldChoice): boolean {
  if (config?.selectedFieldsAuto === 'all' || declared.optionalFieldsAuto === 'all') return true;
  const isAnyDeclared = Boolean(declared.requiredFields?.length) || Boolean(declared.optionalFields?.length);
  return !isAnyDeclared && names.mapped.size === 0 && names.unmapped.length === 0;
}

async function readableFields(connector: Connector, call: Call): Promise<string[]> {
  if (!connector.describe) return [];
  try {
    return Object.keys((await connector.describe(call)).fields);
  } catch (error) {
    // Records may be readable where their description is not: HubSpot has a scope for each.
    if (error instanceof ProviderError && error.class === 'forbidden') return [];
    throw error;
  }
}

/** Each field once, in the first spelling: providers take names without regard to case. */
function unique(names: readonly string[]): string[] {
  const byName = new Map<string, string>();
  for (const name of names) if (!byName.has(name.toLowerCase())) byName.set(name.toLowerCase(), name);
  return [...byName.values()];
}
