import { type Ending, kinds, losses, type PromiseRow, rows } from './rows';

/** What the guide says of one object's writes. */
interface Said {
  readonly provider: string;
  readonly object: string;
  readonly cells: readonly string[];
}

/** The table and the lists of `docs/guides/promises.md`: what is promised, and how each ends. The test compares them with the file. */
export function renderTables(): string {
  const said = (cells: (row: PromiseRow) => string[]): Said[] =>
    rows.map((row) => ({ provider: row.object.displayName, object: row.object.name, cells: cells(row) }));
  const table = together(said(promisedCells));
  return [tableOf(promised, table), ...together(said(endedCells)).map(listOf)].join('\n\n');
}

/** One row for what is said alike, with whom it is said of: a provider alone stands for each of its objects. */
function together(said: readonly Said[]): string[][] {
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

const promised = ['of', 'write', 'looked up by', 'window', 'promise'];

function promisedCells({ kind, lookedUpBy, windowSeconds, promise }: PromiseRow): string[] {
  return [kinds[kind], lookedUpBy, windowSeconds === undefined ? '–' : `${windowSeconds} s`, promise];
}

function tableOf(head: readonly string[], body: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

function endedCells({ kind, endings }: PromiseRow): string[] {
  return [kinds[kind], ...losses.map((loss) => endingText(endings[loss]))];
}

/** A list in place of a row of nine columns: what is lost alike ends together. */
function listOf([whom = '', kind = '', ...texts]: readonly string[]): string {
  const alike = Map.groupBy(losses.keys(), (at) => texts[at] ?? '');
  const lines = [...alike].flatMap(([text, at]) =>
    text === '' ? [] : [`- ${at.map((each) => losses[each]).join('; ')}: ${text}`],
  );
  return [`**${kind}** (${whom})`, '', ...lines].join('\n');
}

function endingText(ending: Ending | undefined): string {
  if (ending === undefined) return '';
  const { outcome, kept, sends, reply, isRepeatNotFound } = ending;
  const said = reply && `${reply.status}, ${reply.isRetryable ? 'may be repeated' : 'not to be repeated'}`;
  return [
    ...(said === undefined ? [] : [said]),
    ...(kept === undefined ? [] : [outcome, `${kept} there`]),
    ...(reply ? [] : [sends === 1 ? 'sent once' : 'sent twice']),
    ...(isRepeatNotFound ? ['the repeat is `not-found`: it was deleted'] : []),
  ].join('; ');
}
