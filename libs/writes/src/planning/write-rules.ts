import { fieldFault, fieldOfObject, type FieldCapabilities } from '@sluice/connectors';
import {
  type ConfigContent,
  type FieldMappings,
  type FieldSettings,
  type InstallationContext,
  type JsonValue,
  type ManifestIntegration,
  type ReadObjectConfig,
  type ValueMappings,
  type WriteObjectConfig,
  type WriteType,
  fieldDefaultValue,
  fieldMappings,
  fieldSteps,
  limits,
  normalFieldName,
  valueMappings,
} from '@sluice/types';

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

/** The rules of the config and the provider for a name, whatever its value. */
export interface FieldRule {
  /** Absent: the user chose no field for this mapped name. */
  readonly providerField?: string;
  /** The field that is meant, in the form in which all its spellings are equal. */
  readonly key: string;
  /** Why the field is not sent; absent where it is. */
  readonly left?: string;
  /** Names that lead to the field, where it is inside an object of the record. */
  readonly steps?: readonly string[];
  /** Why no field can be meant: the write is refused. The end of a sentence. */
  readonly fault?: string;
  /** Delivered value to the provider's. */
  readonly values?: ReadonlyMap<string, string> | undefined;
  /** Written only while it is empty at the provider. */
  readonly isIfEmpty: boolean;
}

/** What decides a name. */
interface FieldRuleSources {
  readonly type: WriteType;
  readonly objectName: string;
  /** Named in reasons. */
  readonly provider: string;
  readonly fields: FieldCapabilities;
  /** A provider field's name in the form in which all its spellings are equal. */
  readonly keyOf: (name: string) => string;
  /** Absent: the object does not inherit mappings. */
  readonly mappings: FieldMappings | undefined;
  readonly settingOf: SettingOf;
  readonly values: ValueMappings;
  readonly dropsUnmapped: boolean;
}

/** Names that are remembered: those of a record, at most. */
const namesMax = limits.recordFieldsMax;

/** Decides each name once: records of one object mostly have the same names. */
function fieldRulesBy(sources: FieldRuleSources): (name: string) => FieldRule {
  const { mappings, keyOf } = sources;
  const mappedFields = new Set([...(mappings?.values() ?? [])].flatMap((field) => field ?? []).map(keyOf));
  const known = new Map<string, FieldRule>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const rule = decide(sources, name, mappedFields);
    if (known.size >= namesMax) known.clear();
    known.set(name, rule);
    return rule;
  };
}

function decide(sources: FieldRuleSources, name: string, mappedFields: ReadonlySet<string>): FieldRule {
  const { type, objectName, provider, fields, mappings, keyOf, dropsUnmapped } = sources;
  const target = targetOf(name, mappings);
  const fault = fieldFault(fields, objectName, target);
  const providerField = fieldOfObject(fields, objectName)(target) ?? target;
  const steps = fieldSteps(providerField);
  const key = keyOf(providerField);
  const left = (reason: string): FieldRule => ({ providerField, key, left: reason, isIfEmpty: false });
  const isMapped = mappings?.has(name) === true;
  if (isMapped && mappings?.get(name) === undefined) {
    // It means no field, so its key is one that no field has: a name with a NUL is refused before.
    return { key: `\0${name}`, left: 'the user chose no field for this mapped name', isIfEmpty: false };
  }
  if (fault !== undefined) return { ...left(fault), fault };
  if (type !== 'delete' && fields.reserved[type].includes(keyOf(String(steps[0])))) {
    return left(`${provider} keeps this name for itself: no record can set it on ${type}`);
  }
  const setting = sources.settingOf(name);
  if (type === 'create' && setting?.writeOnCreate === 'never') return left('writeOnCreate is never');
  if (type === 'update' && setting?.writeOnUpdate === 'never') return left('writeOnUpdate is never');
  if (dropsUnmapped && !isMapped && !mappedFields.has(key)) return left('dropUnmappedFields is on');
  const isIfEmpty = type === 'update' && setting?.writeOnUpdate === 'ifEmpty';
  return { providerField, key, values: sources.values(providerField), isIfEmpty, ...(steps.length > 1 && { steps }) };
}

/** The provider field that a name means; the name itself when it is not mapped or its mapping is unset. */
function targetOf(name: string, mappings: FieldMappings | undefined): string {
  return mappings?.get(name) ?? name;
}

/** A value that the config fills in where the request carries none. */
export interface FieldDefault {
  readonly name: string;
  /** The provider field that the name means. */
  readonly target: string;
  readonly value: JsonValue;
  readonly reason: string;
}

/** How names lead to provider fields. */
interface FieldTargets {
  /** The provider field that a name means. */
  readonly targetOf: (name: string) => string;
  /** Equal for all spellings of one provider field. */
  readonly keyOf: (field: string) => string;
}

/**
 * The defaults of an object for one write type, at most one per provider field. `selectedFieldSettings` beats the deprecated
 * `selectedValueDefaults` for the same field, also without a default of its own. The record's id is never a default.
 * Source: specification, Config Content; silent points in rulings.
 */
export function defaultsOf(
  config: WriteObjectConfig | undefined,
  type: WriteType,
  targets: FieldTargets,
): readonly FieldDefault[] {
  if (config === undefined || type === 'delete') return [];
  const settings = Object.entries(config.selectedFieldSettings ?? {});
  const chosen = settings.flatMap(([name, { default: given }]): FieldDefault[] => {
    const value = given === undefined ? undefined : fieldDefaultValue(given);
    if (value === undefined) return [];
    return [{ name, target: targets.targetOf(name), value, reason: 'default of selectedFieldSettings' }];
  });
  const ruled = new Set(settings.map(([name]) => targets.keyOf(targets.targetOf(name))));
  const deprecated = Object.entries(config.selectedValueDefaults ?? {}).flatMap(([name, setting]): FieldDefault[] => {
    const target = targets.targetOf(name);
    if (ruled.has(targets.keyOf(target)) || (type === 'update' && setting.applyOnUpdate === 'never')) return [];
    return [{ name, target, value: setting.value, reason: 'default of selectedValueDefaults' }];
  });
  const writable = [...mappedFirst(chosen), ...mappedFirst(deprecated)].filter(({ name, target }) => {
    return type === 'create' || (name !== 'id' && targets.keyOf(target) !== 'id');
  });
  return [...new Map(writable.toReversed().map((each) => [targets.keyOf(each.target), each])).values()].toReversed();
}

/** Where two names lead to one field, the mapped name is the one that requests use. */
function mappedFirst(defaults: readonly FieldDefault[]): FieldDefault[] {
  return defaults.toSorted((a, b) => Number(a.name === a.target) - Number(b.name === b.target));
}

/** The setting of a field, by the name that requests use. */
type SettingOf = (name: string) => FieldSettings | undefined;

/**
 * Settings stand under the name that requests use. A mapped name is the builder's own and finds its setting exactly. Any other name is the provider's
 * and finds its setting under every spelling, of two in the config the first.
 * @param keyOf a provider's name in the form in which all its spellings are equal
 */
export function settingsBy(
  settings: Readonly<Record<string, FieldSettings>> | undefined,
  mappings: FieldMappings | undefined,
  keyOf: (name: string) => string,
): SettingOf {
  const ofMapped = new Map<string, FieldSettings>();
  const ofProvider = new Map<string, FieldSettings>();
  // A name that is mapped to itself under another spelling is the provider's as well.
  const isOwn = (name: string): boolean =>
    mappings?.has(name) === true && keyOf(mappings.get(name) ?? '') !== keyOf(name);
  for (const [name, setting] of Object.entries(settings ?? {})) {
    if (isOwn(name)) ofMapped.set(name, setting);
    else if (!ofProvider.has(keyOf(name))) ofProvider.set(keyOf(name), setting);
  }
  return (name) => (isOwn(name) ? ofMapped.get(name) : ofProvider.get(keyOf(name)));
}
