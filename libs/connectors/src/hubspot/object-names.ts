/** Each object by the names that HubSpot takes for it in a path: plural first, then singular and type id. Source: reference A1. */
const objects = [
  ['contacts', 'contact', '0-1'],
  ['companies', 'company', '0-2'],
  ['deals', 'deal', '0-3'],
  ['tickets', 'ticket', '0-5'],
  ['products', 'product', '0-7'],
  ['line_items', 'line_item', '0-8'],
] as const;

const canonical = new Map<string, string>(objects.flatMap((names) => names.map((name) => [name, names[0]])));

/** One name per object, so that `contacts` and `0-1` are the same. An object that is not listed keeps its name. */
export function canonicalObjectName(objectName: string): string {
  return canonical.get(objectName) ?? objectName;
}
