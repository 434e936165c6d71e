const alphabets = ['1234567890', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'] as const;
const [, letters] = alphabets;

/**
 * Replaces ids by others of the same form: a digit for a digit, a letter for a letter of its case, other characters unchanged. What
 * connectors ask of an id therefore holds, and it stays a text: `007` is not 7. Equal ids stay equal, others differ, and ids with equal
 * beginnings keep them: the short and the long form of a Salesforce id are one record.
 */
export function standInIds(): (id: string) => string {
  /** By the prefix before a character: the replacement of each character there. */
  const known = new Map<string, Map<string, string>>();
  return (id) => {
    const characters = Array.from(id);
    return characters.map((character, at) => standIn(siblings(known, characters.slice(0, at)), character)).join('');
  };
}

function siblings(known: Map<string, Map<string, string>>, before: readonly string[]): Map<string, string> {
  const key = before.join('');
  const found = known.get(key) ?? new Map<string, string>();
  known.set(key, found);
  return found;
}

function standIn(taken: Map<string, string>, character: string): string {
  const found = taken.get(character);
  if (found !== undefined) return found;
  const alphabet = alphabets.find((each) => each.includes(character));
  const isSign = alphabet === undefined && /[!-~]/.test(character);
  const others = [...taken.values()].filter((other) => (alphabet ?? letters).includes(other)).length;
  const chosen = isSign ? character : ((alphabet ?? letters)[others % (alphabet ?? letters).length] ?? '');
  taken.set(character, chosen);
  return chosen;
}
