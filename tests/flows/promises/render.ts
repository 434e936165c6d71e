import { rows, type Ending, type PromiseRow } from './rows';

const losses = ['applied', 'not applied', 'applied late'] as const;
const providerNames = { hubspot: 'HubSpot', salesforce: 'Salesforce' } as const;

/** What the two tables say of one object's writes. */
export interface Said {
  readonly provider: string;
  readonly object: string;
  readonly cells: readonly string[];
}

/** The tables of `docs/guides/promises.md`: what is promised, and how each ends. The test compares them with the file. */
export function renderTables(): string {
  const driven = rows.filter(({ object }) => object.isImitated);
  const saidOf = (row: PromiseRow, cells: string[]): Said => ({
    provider: providerNames[row.object.provider],
    object: row.object.name,
    cells,
  });
  return [
    '### HubSpot and Salesforce',
    table(['of', ...promised], together(rows.map((row) => saidOf(row, promisedCells(row))))),
    '### How each ends',
    table(['of', ...ended], together(driven.map((row) => saidOf(row, endedCells(row))))),
  ].join('\n\n');
}

/** One row for what is said alike, with whom it is said of: a provider alone stands for each of its objects. */
export function together(said: readonly Said[]): string[][] {
  const objectsOf = (some: readonly Said[]) => Map.groupBy(some, ({ provider }) => provider);
  const all = objectsOf(said);
  const namesOf = (some: readonly Said[] = []) => [...new Set(some.map(({ object }) => object))];
  return [...Map.groupBy(said, ({ cells }) => JSON.stringify(cells))].map(([cells, alike]) => {
    const whom = [...objectsOf(alike)].map(([provider, own]) => {
      const names = namesOf(own);
      return names.length === namesOf(all.get(provider)).length ? provider : `${provider}: ${names.join(', ')}`;
    });
    const isAll = alike.length > 1 && whom.length === all.size && whom.every((each) => all.has(each));
    return [isAll ? 'all' : whom.join('; '), ...(JSON.parse(cells) as string[])];
  });
}

const promised = ['write', 'a repeat is prevented by', 'looked up by', 'window', 'promise', 'the caller sees'];

function promisedCells(row: PromiseRow): string[] {
  const { prevented, lookedUpBy, windowSeconds, promise, caller } = row;
  const window = windowSeconds === undefined ? '–' : `${windowSeconds} s`;
  return [writeOf(row), prevented, lookedUpBy, window, promise, caller];
}

function writeOf({ type, mode }: PromiseRow): string {
  return `${type}, ${mode}`;
}

const ended = ['write', ...losses.map((loss) => `${loss}, reply lost`)];

function endedCells(row: PromiseRow): string[] {
  return [writeOf(row), ...losses.map((loss) => endingText(row.endings[loss]))];
}

function endingText(ending: Ending | undefined): string {
  if (ending === undefined) return '–';
  return `${ending.outcome}; ${ending.kept} at the CRM; ${ending.sends === 1 ? 'sent once' : 'sent twice'}`;
}

export function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}
