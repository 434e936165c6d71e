import type { FieldCapabilities } from '@sluice/connectors';
import { normalFieldName, valueMappings, type InstallationContext, type WriteType } from '@sluice/types';
import { defaultsOf, type FieldDefault } from './field-defaults';
import { fieldRulesBy, targetOf, type FieldRule } from './field-rule';
import { settingsBy } from './field-settings';
import { inheritedMappings } from './inherited-mappings';
import { ownEntry } from './own-entry';

/** Records of this object, written like this. */
export interface WriteKind {
  readonly type: WriteType;
  readonly objectName: string;
}

/** What an installation and its provider say about writes of one kind. Read once for all records of a request. */
export interface WriteRules extends WriteKind {
  readonly ruleOf: (name: string) => FieldRule;
  readonly defaults: readonly FieldDefault[];
  /** Absent: lists go as they are. */
  readonly listSeparator: string | undefined;
}

/** Reads the rules. Maps, not objects: a field may be called like a member of Object.prototype. */
export function writeRulesOf(context: InstallationContext, provider: FieldCapabilities, kind: WriteKind): WriteRules {
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
