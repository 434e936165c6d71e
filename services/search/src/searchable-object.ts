import type { Auth, Connector, ProviderRecord } from '@sluice/connectors';
import { ForbiddenError, type Issue, NotFoundError, ProviderError } from '@sluice/errors';
import { invalid } from '@sluice/http';
import {
  fieldMappings,
  type FieldMappings,
  type FieldNameForm,
  type FieldOf,
  fieldSteps,
  type InstallationContext,
  type JsonValue,
  type ManifestReadObject,
  memberAt,
  nestedField,
  normalFieldName,
  type ReadObjectConfig,
  type SearchFilter,
  type SearchResultItem,
  toDeliveredValue,
  toProviderValue,
  valueMappings,
  type ValueMappings,
  withMemberAt,
} from '@sluice/types';

/** An object that may be searched: what the manifest declares, and what the installation configures, if anything. */
export interface SearchableObject {
  readonly declared: ManifestReadObject;
  readonly config: ReadObjectConfig | undefined;
}

/**
 * Source: specification, Manifest, rules 1 to 3: declared under `read`, and not disabled unless it is enabled always.
 * @throws NotFoundError `search.object-not-in-manifest`
 * @throws ForbiddenError `search.object-disabled`
 */
export function getSearchableObject(installation: InstallationContext, objectName: string): SearchableObject {
  const objects = installation.manifest.read?.objects ?? [];
  const declared = objects.find((object) => object.objectName === objectName || object.mapToName === objectName);
  if (declared === undefined) throw notDeclared(objectName, objects);
  const configs = installation.config.read?.objects ?? {};
  const config = Object.hasOwn(configs, declared.objectName) ? configs[declared.objectName] : undefined;
  if (config?.disabled === true && declared.enabled !== 'always') {
    throw new ForbiddenError({
      code: 'search.object-disabled',
      detail: `objectName: the config of this installation disables ${declared.objectName}.`,
      remedy: `Set config.content.read.objects.${declared.objectName}.disabled to false.`,
    });
  }
  return { declared, config };
}

function notDeclared(objectName: string, objects: readonly ManifestReadObject[]): NotFoundError {
  const names = objects.map((object) => object.mapToName ?? object.objectName).join(', ') || 'none';
  return new NotFoundError({
    code: 'search.object-not-in-manifest',
    detail: `objectName: the manifest does not declare "${objectName.slice(0, 100)}" under read.objects; declared: ${names}.`,
  });
}

/** How the builder's names and values of one object relate to the provider's. */
export interface FieldNames {
  /** Mapped name to provider field. Undefined: declared, but the user left the mapping unset. */
  readonly mapped: FieldMappings;
  /** Provider fields that are read without a mapping, as the manifest or the config spells them. */
  readonly unmapped: readonly string[];
  /** Requested by provider field, in any of its spellings. */
  readonly values: ValueMappings;
  /** The provider's spelling of a field. */
  readonly fieldOf: FieldOf;
}

/**
 * Mapped names come from the mappings; the others from the manifest's required fields and the user's selection.
 * @param form how the provider compares its names. Mapped names are the builder's own and compare exactly.
 * @param fieldOf the provider's spelling of a field. A path that means none there is no field that is read.
 */
export function fieldNamesOf(
  { declared, config }: SearchableObject,
  form: FieldNameForm,
  fieldOf: FieldOf = nestedField,
): FieldNames {
  const required = declared.requiredFields ?? [];
  const mapped = fieldMappings(declared, config, fieldOf);
  const always = required.flatMap(({ fieldName }) => fieldName ?? []);
  const chosen = Object.entries(config?.selectedFields ?? {}).flatMap(([name, isChosen]) => (isChosen ? [name] : []));
  const keyOf = (name: string): string => normalFieldName(fieldOf(name) ?? name, form);
  const targets = new Set(
    [...mapped.values()].flatMap((field) => (field === undefined ? [] : normalFieldName(field, form))),
  );
  const named = [...new Set([...always, ...chosen])].filter((name) => fieldOf(name) !== undefined);
  const unmapped = named.filter((name) => !targets.has(keyOf(name)));
  return { mapped, unmapped, values: valueMappings(config, form, fieldOf), fieldOf };
}

/** A filter in the provider's names and values. */
export interface ProviderFilter {
  readonly field: string;
  readonly value: string | number | boolean;
}

/** Longest text a filter may compare with. */
const valueCharactersMax = 1_024;

/**
 * The filters of a request with provider fields and values. A name that is mapped means the mapped field; any other
 * name is the provider's own.
 * @param faultOf @default any name may mean a field
 * @throws ValidationError 400 for a mapping that the user left unset, a name that means no field, and a value that is too long
 */
export function toProviderFilters(
  filters: readonly SearchFilter[],
  names: FieldNames,
  faultOf: FaultOf = () => undefined,
): ProviderFilter[] {
  const issues = filters.flatMap((filter, at) => issuesOf(filter, `fieldFilters[${at}]`, names, faultOf));
  if (issues.length > 0) throw invalid(issues);
  return filters.map(({ fieldName, value }) => {
    const field = names.mapped.get(fieldName) ?? names.fieldOf(fieldName) ?? fieldName;
    return { field, value: toProviderValue(names.values, field, value) };
  });
}

/** Why a name can mean no field of the provider, as the end of a sentence. */
type FaultOf = (name: string) => string | undefined;

function issuesOf({ fieldName, value }: SearchFilter, path: string, { mapped }: FieldNames, faultOf: FaultOf): Issue[] {
  const issues: Issue[] = [];
  const fault = mapped.has(fieldName) ? undefined : faultOf(fieldName);
  if (fault !== undefined) issues.push({ in: 'body', name: `${path}.fieldName`, detail: fault, value: fieldName });
  if (mapped.has(fieldName) && mapped.get(fieldName) === undefined) {
    const detail = 'is a mapped name for which this installation has no field';
    issues.push({ in: 'body', name: `${path}.fieldName`, detail, value: fieldName });
  }
  if (typeof value === 'string' && value.length > valueCharactersMax) {
    issues.push({ in: 'body', name: `${path}.value`, detail: `must have at most ${valueCharactersMax} characters` });
  }
  return issues;
}

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

type Members = readonly (readonly [string, JsonValue])[];

/**
 * A provider's record as the specification returns it. A mapped provider field stands under its mapped names only;
 * the others under the name that the manifest or the config spells, else the provider's. An object stays whole under its own name, whichever
 * of its parts have a name too. `raw` is untouched.
 */
export function toResultItem(record: ProviderRecord, names: FieldNames): SearchResultItem {
  const values = new Map(
    Object.entries(record.fields).map(([field, value]) => [
      field.toLowerCase(),
      { field, value: toDeliveredValue(names.values, field, value as JsonValue) },
    ]),
  );
  const read = (field: string): JsonValue | undefined => {
    const steps = fieldSteps(field);
    if (steps.length === 1) return values.get(field.toLowerCase())?.value;
    const found = memberAt(record.fields, steps);
    return found === undefined ? undefined : toDeliveredValue(names.values, field, found as JsonValue);
  };
  const targets = new Set([...names.mapped.values()].map((field) => field?.toLowerCase()));
  const spelled = new Map(names.unmapped.map((name) => [names.fieldOf(name)?.toLowerCase(), name]));
  const fields: Members = [...values]
    .filter(([key]) => !targets.has(key))
    .map(([key, { field, value }]) => [spelled.get(key) ?? field, value]);
  const inside: Members = names.unmapped.flatMap((name) => {
    const field = names.fieldOf(name);
    const value = field === undefined || fieldSteps(field).length === 1 ? undefined : read(field);
    return value === undefined ? [] : [[name, value] as const];
  });
  let mappedFields: SearchResultItem['mappedFields'] = {};
  for (const [name, field] of names.mapped) {
    const value = field === undefined ? undefined : read(field);
    // A mapped name that is a path is delivered as one.
    if (value !== undefined) mappedFields = withMemberAt(mappedFields, fieldSteps(name), value) ?? mappedFields;
  }
  return {
    id: record.id,
    // fromEntries defines members, so a field named __proto__ stays a field.
    fields: Object.fromEntries([...fields, ...inside]),
    mappedFields,
    raw: record.raw as SearchResultItem['raw'],
  };
}
