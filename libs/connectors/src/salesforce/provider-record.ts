import type { ProviderRecord } from '../results';
import { dateOf, isJson, recordIdOf, type Json } from './wire';

/**
 * A record as it leaves this folder. With `asked`, its fields stand under the names that were asked for, whatever case
 * Salesforce answers in; a path (`Account.Name`) is one name. Without, every field is there. Undefined without an id.
 */
export function toProviderRecord(raw: Json, asked?: readonly string[]): ProviderRecord | undefined {
  const id = recordIdOf(raw);
  if (id === undefined) return undefined;
  const { attributes: _, ...own } = raw;
  const members = new Map(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]));
  const createdAt = dateOf(members.get('createddate'));
  const fields = asked ? Object.fromEntries(asked.map((name) => [name, valueAt(raw, name)])) : own;
  return { id, fields, raw, ...(createdAt && { createdAt }) };
}

function valueAt(record: Json, path: string): unknown {
  let value: unknown = record;
  for (const step of path.toLowerCase().split('.')) {
    if (!isJson(value)) return null;
    value = Object.entries(value).find(([name]) => name.toLowerCase() === step)?.[1] ?? null;
  }
  return value;
}
