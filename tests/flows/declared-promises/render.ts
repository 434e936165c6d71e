import type { Declaration } from '@sluice/connectors';
import { table } from '../promises/render';
import { losses, rowsOf, type Ending, type Kind, type PromiseRow } from './rows';

const kinds: Readonly<Record<Kind, string>> = {
  create: 'create, asynchronous',
  collected: 'create, auto-batched',
  'create now': 'create, synchronous',
  update: 'update, asynchronous',
  'update now': 'update, synchronous',
  search: 'search',
};

const promised = ['object', 'write', 'looked for by', 'window', 'promise'];
const ended = [
  'object',
  'write',
  'applied, reply lost',
  'not applied, reply lost',
  'timeout, applied late',
  '500, applied',
  '503',
  '429 with Retry-After',
  '429 without',
];

/** The tables of `docs/guides/promises.md` that come out of the providers' files: two each. The test compares them with the guide. */
export function renderDeclared(files: readonly Declaration[]): string {
  return files
    .map((file) => {
      const rows = rowsOf(file);
      const of = (cells: (row: PromiseRow) => string[]) =>
        together(rows.map((row) => [row.object.name, ...cells(row)]));
      return [`### ${file.displayName}`, table(promised, of(promisedCells)), table(ended, of(endedCells))].join('\n\n');
    })
    .join('\n\n');
}

/** Objects whose rows say the same share one. */
function together(rows: readonly (readonly string[])[]): string[][] {
  const objects = new Map<string, string[]>();
  for (const [name = '', ...cells] of rows) {
    const same = JSON.stringify(cells);
    objects.set(same, [...(objects.get(same) ?? []), name]);
  }
  return [...objects].map(([cells, names]) => [names.join(', '), ...(JSON.parse(cells) as string[])]);
}

function promisedCells({ kind, lookedFor, windowSeconds, promise }: PromiseRow): string[] {
  const window = windowSeconds === undefined ? '–' : `${windowSeconds} s`;
  return [kinds[kind], lookedFor, window, promise];
}

function endedCells({ kind, endings }: PromiseRow): string[] {
  return [kinds[kind], ...losses.map((loss) => endingText(endings[loss]))];
}

function endingText(ending: Ending | undefined): string {
  if (ending === undefined) return '–';
  const { outcome, kept, sends, reply } = ending;
  return [
    ...(reply === undefined
      ? []
      : [`${reply.status}, ${reply.isRetryable ? 'may be repeated' : 'not to be repeated'}`]),
    ...(kept === undefined ? [] : [outcome, `${kept} there`]),
    ...(reply === undefined ? [sends === 1 ? 'sent once' : 'sent twice'] : []),
  ].join('; ');
}
