import type { FieldMappings, FieldSettings, InstallationContext, WriteType } from '@sluice/types';
import { defaultsOf, type FieldDefault } from './field-defaults';
import { inheritedMappings } from './inherited-mappings';

/** What an installation says about writes of one object and type. Read once for all records of a request. */
export interface WriteRules {
  readonly type: WriteType;
  readonly objectName: string;
  /** Absent: the object does not inherit mappings. */
  readonly mappings: FieldMappings | undefined;
  /** Provider fields that a mapping leads to. */
  readonly mappedFields: ReadonlySet<string>;
  /** By the name that requests use. */
  readonly settings: ReadonlyMap<string, FieldSettings>;
  readonly defaults: readonly FieldDefault[];
  /** Provider field to the provider's value for a delivered one. Empty where mappings are not inherited. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly dropsUnmapped: boolean;
}

/** Reads the rules. Maps, not objects: a field may be called like a member of Object.prototype. */
export function writeRulesOf(context: InstallationContext, objectName: string, type: WriteType): WriteRules {
  const mappings = inheritedMappings(context, objectName);
  const writing = own(context.config.write?.objects, objectName);
  const reading = own(context.config.read?.objects, objectName);
  const values = mappings === undefined ? {} : (reading?.selectedValueMappings ?? {});
  return {
    type,
    objectName,
    mappings,
    mappedFields: new Set([...(mappings?.values() ?? [])].filter((field) => field !== undefined)),
    settings: new Map(Object.entries(writing?.selectedFieldSettings ?? {})),
    defaults: defaultsOf(context, objectName, type, (name) => targetOf(name, mappings)),
    values: new Map(Object.entries(values).map(([field, pairs]) => [field, new Map(Object.entries(pairs))])),
    dropsUnmapped: mappings !== undefined && context.dropUnmappedFields,
  };
}

/** The provider field that a name means; the name itself when it is not mapped or its mapping is unset. */
export function targetOf(name: string, mappings: FieldMappings | undefined): string {
  return mappings?.get(name) ?? name;
}

function own<Value>(map: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}
