/** The entry of a map that came from outside: a name of Object.prototype finds nothing in it. */
export function ownEntry<Value>(map: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}
