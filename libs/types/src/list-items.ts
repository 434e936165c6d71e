/**
 * Why an item cannot be in a list whose items are joined; undefined when it can. Joined, an object would become
 * `[object Object]`, and a text with the separator two items. An empty text would vanish, or at the start mean "add" (HubSpot).
 * Spec is silent; rulings, "lists".
 */
export function listItemRule(item: unknown, separator: string): string | undefined {
  if (typeof item === 'number' || typeof item === 'boolean') return undefined;
  if (typeof item === 'string' && item !== '' && !item.includes(separator)) return undefined;
  return (
    `must be a number, a boolean or a text that is not empty and has no "${separator}", because the items of a list are joined by ` +
    `"${separator}": send each value as an item of its own, or one text in place of the list`
  );
}

/** A list as the one text that a multi-select takes; as it is where an item cannot be joined, for the provider to refuse. */
export function joinList(items: readonly unknown[], separator: string): unknown {
  return items.every((item) => listItemRule(item, separator) === undefined) ? items.join(separator) : items;
}
