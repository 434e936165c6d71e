import type { RecordedExchange } from './recording';

/** Shorter lists are no description of an object. */
const longList = 20;

/** Leaves an account's own fields out of its descriptions, but for those that the run wrote: their names are the customer's. */
export function trimMetadata(exchange: RecordedExchange, fields: readonly string[]): RecordedExchange {
  const { reply } = exchange;
  if (reply?.json === undefined) return exchange;
  return { ...exchange, reply: { ...reply, json: trim(reply.json, new Set(fields)) } };
}

function trim(value: unknown, fields: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    if (!isDescription(value)) return value.map((one) => trim(one, fields));
    return value.filter((field) => fields.has(field.name) || !isOwn(field));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, trim(inner, fields)]));
}

type Named = Readonly<Record<string, unknown>> & { readonly name: string };

function isDescription(list: readonly unknown[]): list is Named[] {
  return list.length > longList && list.every((one) => typeof one === 'object' && one !== null && 'name' in one);
}

/** Salesforce says `custom`; HubSpot leaves `hubspotDefined` out of what is not its own. */
function isOwn(field: Named): boolean {
  return 'fieldType' in field ? field['hubspotDefined'] !== true : field['custom'] === true;
}
