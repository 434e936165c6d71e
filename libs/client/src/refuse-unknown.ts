/**
 * A name that nobody reads is a mistake that would go unnoticed: `groupref` in a filter lists everybody's.
 * @param what begins the sentence: `listOperations takes no`
 * @throws TypeError
 */
export function refuseUnknown(given: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const list = known.length === 0 ? 'It takes none' : `Known: ${known.join(', ')}`;
  throw new TypeError(`${what} "${unknown}". ${list}.`);
}
