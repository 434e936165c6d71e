import type { Declaration } from '@sluice/connectors';
import { table, together, type Said } from '../promises/render';
import { losses, rowsOf, type Ending, type Kind, type PromiseRow } from './rows';

const kinds: Readonly<Record<Kind, string>> = {
  create: 'create, asynchronous',
  collected: 'create, auto-batched',
  'create now': 'create, synchronous',
  update: 'update, asynchronous',
  'update now': 'update, synchronous',
  search: 'search',
};

const promised = ['of', 'write', 'looked up by', 'window', 'promise'];
const lossNames = [
  'applied, reply lost',
  'not applied, reply lost',
  'timeout, applied late',
  '500, applied',
  '503',
  '429 with Retry-After',
  '429 without',
];

/** The table and the list of `docs/guides/promises.md` that come out of the providers' files. The test compares them with the guide. */
export function renderDeclared(files: readonly Declaration[]): string {
  const said = (cells: (row: PromiseRow) => string[]): Said[] =>
    files.flatMap((file) =>
      rowsOf(file).map((row) => ({ provider: file.displayName, object: row.object.name, cells: cells(row) })),
    );
  return [table(promised, together(said(promisedCells))), ...together(said(endedCells)).map(endings)].join('\n\n');
}

function promisedCells({ kind, lookedUpBy, windowSeconds, promise }: PromiseRow): string[] {
  const window = windowSeconds === undefined ? '–' : `${windowSeconds} s`;
  return [kinds[kind], lookedUpBy, window, promise];
}

function endedCells({ kind, endings: of }: PromiseRow): string[] {
  return [kinds[kind], ...losses.map((loss) => endingText(of[loss]))];
}

/** A list in place of a row of nine columns: what is lost alike ends together. */
function endings([whom = '', kind = '', ...texts]: readonly string[]): string {
  const alike = Map.groupBy(lossNames.keys(), (at) => texts[at]);
  const lines = [...alike].map(([text, at]) => `- ${at.map((each) => lossNames[each]).join('; ')}: ${text}`);
  return [`**${kind}** (${whom})`, '', ...lines.filter((line) => !line.endsWith(': –'))].join('\n');
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
