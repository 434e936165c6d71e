import type { FieldCapabilities } from '@sluice/connectors';
import {
  normalFieldName,
  valueMappings,
  type InstallationContext,
  type WriteType,
  fieldMappings,
  type FieldMappings,
  type ConfigContent,
  type ManifestIntegration,
} from '@sluice/types';
import { defaultsOf, type FieldDefault, fieldRulesBy, settingsBy, targetOf, type FieldRule } from './field-rule';

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
}

/** Reads the rules. Maps, not objects: a field may be called like a member of Object.prototype. */
function writeRulesOf(context: InstallationContext, provider: FieldCapabilities, kind: WriteKind): WriteRules {
  const { type, objectName } = kind;
  const mappings = inheritedMappings(context, objectName);
  const writing = ownEntry(context.config.write?.objects, objectName);
  const reading = mappings === undefined ? undefined : ownEntry(context.config.read?.objects, objectName);
  const keyOf = (name: string): string => normalFieldName(name, provider.names);
  return {
    type,
    objectName,
    ruleOf: fieldRulesBy({
      type,
      provider: context.provider,
      reserved: provider.reserved,
      keyOf,
      mappings,
      settingOf: settingsBy(writing?.selectedFieldSettings, mappings, keyOf),
      values: valueMappings(reading, provider.names),
      dropsUnmapped: mappings !== undefined && context.dropUnmappedFields,
    }),
    defaults: defaultsOf(writing, type, { targetOf: (name) => targetOf(name, mappings), keyOf }),
    listSeparator: provider.listSeparator,
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

/** `writeRulesOf`, read once per config, manifest and provider. The object is one that the manifest declares. */
export function cachedRulesOf(context: InstallationContext, provider: FieldCapabilities, kind: WriteKind): WriteRules {
  const { config, manifest, dropUnmappedFields } = context;
  const ofConfig = cachedBy.get(config) ?? new Map<string, CachedRules>();
  cachedBy.set(config, ofConfig);
  const name = `${kind.type}/${dropUnmappedFields}/${context.provider}/${kind.objectName}`;
  const found = ofConfig.get(name);
  if (found?.manifest === manifest && found.provider === provider) return found.rules;
  const rules = writeRulesOf(context, provider, kind);
  ofConfig.set(name, { manifest, provider, rules });
  return rules;
}

/** The entry of a map that came from outside: a name of Object.prototype finds nothing in it. */
function ownEntry<Value>(map: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}
