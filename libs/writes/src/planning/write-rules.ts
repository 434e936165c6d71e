import {
  type Capabilities,
  type Connector,
  type FieldCapabilities,
  fieldOfObject,
  unservedModule,
} from '@sluice/connectors';
import {
  type ConfigContent,
  type FieldMappings,
  type InstallationContext,
  type ManifestIntegration,
  type ReadObjectConfig,
  type WritePlan,
  type WriteRequest,
  type WriteType,
  fieldMappings,
  fieldSteps,
  normalFieldName,
  valueMappings,
} from '@sluice/types';
import { type Issue, ValidationError } from '@sluice/errors';
import { type FieldDefault, type FieldRule, defaultsOf, fieldRulesBy, settingsBy, targetOf } from './field-rule';

/** Records of this object, written like this. */
export interface WriteKind {
  readonly type: WriteType;
  readonly objectName: string;
}

/** The rules of an installation and its provider for writes of one kind. Read once for all records of a request. */
export interface WriteRules extends WriteKind {
  readonly ruleOf: (name: string) => FieldRule;
  readonly defaults: readonly FieldDefault[];
  /** Absent: lists go as they are. */
  readonly listSeparator: string | undefined;
  /** About how many bytes defaults and mapped values add to the plan of a record at most. */
  readonly addedBytes: number;
  /** Mapped names that are paths: their values are inside objects of the request's record. Mostly none. */
  readonly mappedPaths: readonly { readonly name: string; readonly steps: readonly string[] }[];
}

/** Of a default: its note and its decision, without its names and its value. */
const noteBytes = 150;

function addedBytesOf(defaults: readonly FieldDefault[], reading: ReadObjectConfig | undefined): number {
  const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  const ofDefaults = defaults.map((each) => noteBytes + 2 * bytesOf([each.name, each.target]) + bytesOf(each.value));
  // A record has a field once, and so one of its mapped values.
  const ofMapped = Object.values(reading?.selectedValueMappings ?? {}).map((values) =>
    Object.values(values).reduce((most, value) => Math.max(most, bytesOf(value)), 0),
  );
  return [...ofDefaults, ...ofMapped].reduce((sum, bytes) => sum + bytes, 0);
}

/** Reads the rules. Maps, not objects: a field may be called like a member of Object.prototype. */
function readRules(context: InstallationContext, provider: FieldCapabilities, kind: WriteKind): WriteRules {
  const { type, objectName } = kind;
  const mappings = inheritedMappings(context, objectName);
  const writing = ownEntry(context.config.write?.objects, objectName);
  const reading = mappings === undefined ? undefined : ownEntry(context.config.read?.objects, objectName);
  const fieldOf = fieldOfObject(provider, objectName);
  const keyOf = (name: string): string => normalFieldName(fieldOf(name) ?? name, provider.names);
  const defaults = defaultsOf(writing, type, { targetOf: (name) => targetOf(name, mappings), keyOf });
  return {
    type,
    objectName,
    ruleOf: fieldRulesBy({
      type,
      objectName,
      provider: context.provider,
      fields: provider,
      keyOf,
      mappings,
      settingOf: settingsBy(writing?.selectedFieldSettings, mappings, keyOf),
      values: valueMappings(reading, provider.names, fieldOf),
      dropsUnmapped: mappings !== undefined && context.dropUnmappedFields,
    }),
    defaults,
    listSeparator: provider.listSeparator,
    addedBytes: addedBytesOf(defaults, reading),
    mappedPaths: [...(mappings?.keys() ?? [])].flatMap((name) => {
      const steps = fieldSteps(name);
      return steps[0] === name ? [] : [{ name, steps }];
    }),
  };
}

/**
 * The mappings that writes of an object follow: mapped name to provider field, undefined where the user left it unset.
 * None when the object does not inherit them, which the manifest or the config decides (see rulings).
 * Source: specification, Write records, rule 6.
 */
export function inheritedMappings(context: InstallationContext, objectName: string): FieldMappings | undefined {
  const { manifest, config } = context;
  const declared = manifest.write?.objects?.find((object) => object.objectName === objectName);
  const writing = ownEntry(config.write?.objects, objectName);
  if (declared?.inheritMapping !== true && writing?.inheritMapping !== true) return undefined;
  const reading = manifest.read?.objects?.find((object) => object.objectName === objectName);
  return fieldMappings(reading, ownEntry(config.read?.objects, objectName));
}

interface CachedRules {
  readonly manifest: ManifestIntegration;
  readonly provider: FieldCapabilities;
  readonly rules: WriteRules;
}

/** Rules by config and kind. Contents never change, and the rules go when their config does. */
const cachedBy = new WeakMap<ConfigContent, Map<string, CachedRules>>();

/**
 * The rules for an object that the manifest declares. They are read once per config, manifest and provider, and kept while the config is in use.
 * @param provider how the provider treats fields: `capabilities.fields` of its connector
 */
export function writeRulesOf(context: InstallationContext, provider: FieldCapabilities, kind: WriteKind): WriteRules {
  const { config, manifest, dropUnmappedFields } = context;
  const ofConfig = cachedBy.get(config) ?? new Map<string, CachedRules>();
  cachedBy.set(config, ofConfig);
  const name = `${kind.type}/${dropUnmappedFields}/${context.provider}/${kind.objectName}`;
  const found = ofConfig.get(name);
  if (found?.manifest === manifest && found.provider === provider) return found.rules;
  const rules = readRules(context, provider, kind);
  ofConfig.set(name, { manifest, provider, rules });
  return rules;
}

/** The entry of a map that came from outside: a name of Object.prototype finds nothing in it. */
function ownEntry<Value>(map: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}

/** A part of a request with what a provider must have for it. */
interface Need {
  /** The part, as issues spell it. */
  readonly name: string;
  readonly what: string;
  readonly isOffered: (capabilities: Capabilities) => boolean;
}

/**
 * Refuses what the provider cannot do, before anything is stored. Capabilities are data: no code checks the name of a provider.
 * @param connectors every connector, so that the refusal names the providers that have what is missing
 * @throws ValidationError `write.capability-missing`, one issue per part of the request
 */
export function checkCapabilities(
  connector: Connector,
  request: WriteRequest,
  connectors: readonly Connector[] = [],
): void {
  refuseMissing(connector, needsOf(request), connectors);
}

/**
 * Refuses an integration whose manifest names a part of the provider that the connector does not reach. A record of another product of the provider
 * would be written to this one's address.
 * @param code of the refusal: `write.capability-missing`, `search.capability-missing`
 * @throws ValidationError
 */
export function checkModule(
  connector: Connector,
  module: string | undefined,
  code: 'write.capability-missing' | 'search.capability-missing',
): void {
  const unserved = unservedModule(connector, module);
  if (unserved === undefined) return;
  const remedy = 'Deploy the integration with a module that is served, or without one.';
  const issues: Issue[] = [{ in: 'path', name: 'integrationId', detail: unserved }];
  throw new ValidationError({ code, detail: `integrationId: in its manifest ${unserved}.`, issues, remedy });
}

/**
 * Refuses plans that leave a decision to the field's current value where the provider cannot be read by id.
 * @throws ValidationError `write.capability-missing`
 */
export function checkIfEmpty(
  connector: Connector,
  plans: readonly WritePlan[],
  connectors: readonly Connector[] = [],
): void {
  const field = plans.flatMap((plan) => plan.ifEmpty ?? [])[0];
  if (field === undefined) return;
  const what = `writeOnUpdate ifEmpty (${field})`;
  refuseMissing(connector, [{ name: 'type', what, isOffered: (c) => c.ifEmpty }], connectors);
}

/** Records one provider call takes; undefined where the provider has no batch endpoint for the type. */
export function batchLimit(capabilities: Capabilities, type: WriteRequest['type']): number | undefined {
  const batch = type === 'create' ? capabilities.batchCreate : type === 'update' ? capabilities.batchUpdate : false;
  return batch === false ? undefined : batch.limit;
}

function needsOf(request: WriteRequest): Need[] {
  const { type, batch, headers } = request;
  const needs: Need[] = [];
  const need = (name: string, what: string, isOffered: Need['isOffered']): void => {
    needs.push({ name, what, isOffered });
  };
  if (type === 'delete') need('type', 'deletion through this service', (c) => c.delete);
  if (batch !== undefined) need('batch', `batches of ${type}`, (c) => batchLimit(c, type) !== undefined);
  if (hasAssociations(request)) {
    need('associations', `associations on ${type}`, (c) => sendsAssociations(c, type));
  }
  if ((headers?.length ?? 0) > 0) need('headers', 'forwarded headers', (c) => c.forwardedHeaders);
  return needs;
}

function refuseMissing({ capabilities, provider }: Connector, needs: readonly Need[], all: readonly Connector[]): void {
  const missing = needs.filter(({ isOffered }) => !isOffered(capabilities));
  if (missing.length === 0) return;
  const issues = missing.map(({ name, what, isOffered }): Issue => {
    const owners = all.filter((each) => isOffered(each.capabilities)).map((each) => each.provider);
    const offeredBy = owners.length === 0 ? 'no provider' : owners.join(', ');
    return { in: 'body', name, detail: `${provider} does not offer ${what}; offered by ${offeredBy}` };
  });
  const detail = issues.map((issue) => issue.detail).join('. ');
  throw new ValidationError({ code: 'write.capability-missing', detail: `${detail}.`, issues });
}

function hasAssociations(request: WriteRequest): boolean {
  return (
    (request.associations?.length ?? 0) > 0 ||
    request.batch?.some((item) => (item.associations?.length ?? 0) > 0) === true
  );
}

function sendsAssociations(capabilities: Capabilities, type: WriteRequest['type']): boolean {
  if (capabilities.associations === false) return false;
  return type === 'create' ? capabilities.associations.create : capabilities.associations.update;
}
