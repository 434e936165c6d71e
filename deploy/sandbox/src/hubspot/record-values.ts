import type { CrmRecord } from './crm-record';
import type { ObjectType } from './objects/object-type';

/** The value of any property of a record; undefined when unset. */
export function propertyValue({ computed }: ObjectType, record: CrmRecord, name: string): string | undefined {
  return computed[name]?.(record) ?? record.properties[name];
}

/** Every set property, own and computed. */
export function allValues(type: ObjectType, record: CrmRecord): Record<string, string> {
  const values: Record<string, string> = { ...record.properties };
  for (const name of Object.keys(type.computed)) {
    const value = propertyValue(type, record, name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}
