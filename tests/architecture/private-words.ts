import { posix } from 'node:path';

/** A word that no name may hold, as its parts: `kept plan` is `['kept', 'plan']`. */
export interface PrivateWord {
  readonly parts: readonly string[];
  /** What the field says in its place. */
  readonly instead: string;
  /** Longer words that begin with it and are the field's: `look up`. */
  readonly unless: readonly (readonly string[])[];
}

/** Names that are published or stored, and so keep their words. */
const published: readonly { readonly name: RegExp; readonly path: RegExp; readonly because: string }[] = [
  { name: /^told$/, path: /^libs\/connectors\/src\/declarative\//, because: 'a key of provider files' },
  { name: /^sluice_messages_stray_total$/, path: /^libs\/telemetry\//, because: 'a metric' },
  { name: /^look_crashes$/, path: /^services\/executor\/test\//, because: 'a column' },
  {
    name: /^Place$/,
    path: /(?:\/styles\/zoho|declared-promises\/samples)\.ts$/,
    because: 'a field of an imitated CRM',
  },
];

/** The table of docs/contributing/glossary.md, section "Words of the field". */
export function readPrivateWords(glossary: string): PrivateWord[] {
  const section = glossary.split(/^## /m).find((text) => text.startsWith('Words of the field')) ?? '';
  return [...section.matchAll(/^\| (?<instead>[^|]+) \| (?<not>`[^|]+) \|(?<unless>[^|]*)\|$/gm)].flatMap(
    ({ groups }) => {
      const { instead = '', not = '', unless = '' } = groups ?? {};
      return wordsIn(not).map((parts) => ({ parts, instead: instead.trim(), unless: wordsIn(unless) }));
    },
  );
}

/**
 * Finds private words in the names of one file.
 * @param names identifiers of its code; the name of the file is added
 * @returns one sentence for each such name
 */
export function findPrivateWords(path: string, names: readonly string[], words: readonly PrivateWord[]): string[] {
  const own = posix.basename(path).replace(/(?:\.test)?\.\w+$/, '');
  return [own, ...names].flatMap((name) => {
    const parts = partsOf(name);
    const found = words.find((word) => holds(parts, word));
    if (found === undefined || published.some((one) => one.name.test(name) && one.path.test(path))) return [];
    return [`${path}: ${name} says "${found.parts.join(' ')}"; the glossary says ${found.instead}`];
  });
}

function holds(parts: readonly string[], { parts: word, unless }: PrivateWord): boolean {
  return parts.some((_part, at) => begins(parts, at, word) && !unless.some((longer) => begins(parts, at, longer)));
}

function begins(parts: readonly string[], at: number, word: readonly string[]): boolean {
  return word.every((part, offset) => parts[at + offset] === part);
}

/** `lookUpCreated`, `look-up-created` and `LOOK_UP_CREATED` are the same three parts. */
function partsOf(name: string): string[] {
  const spaced = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return spaced.toLowerCase().split(/[^a-z]+/);
}

const wordsIn = (cell: string): string[][] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word.split(' '));
