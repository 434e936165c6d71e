import { rows, type Ending, type PromiseRow } from './rows';

const losses = ['applied', 'not applied', 'applied late'] as const;
const providerNames = { hubspot: 'HubSpot', salesforce: 'Salesforce' } as const;

/** The tables of `docs/guides/promises.md`, one per provider and one of the endings. The test compares them with the file. */
export function renderTables(): string {
  const tables = (['hubspot', 'salesforce'] as const).map((provider) => {
    const own = rows.filter(({ object }) => object.provider === provider);
    return `### ${providerNames[provider]}\n\n${table(promised, own.map(promisedCells))}`;
  });
  const driven = rows.filter(({ object }) => object.isImitated);
  return [...tables, `### How each row ends\n\n${table(ended, driven.map(endedCells))}`].join('\n\n');
}

const promised = [
  'object',
  'write',
  'a repeat is prevented by',
  'looked for by',
  'window',
  'promise',
  'the caller sees',
];

function promisedCells(row: PromiseRow): string[] {
  const { object, prevented, lookedFor, windowSeconds, promise, caller } = row;
  const window = windowSeconds === undefined ? '–' : `${windowSeconds} s`;
  return [object.name, writeOf(row), prevented, lookedFor, window, promise, caller];
}

function writeOf({ type, mode }: PromiseRow): string {
  return `${type}, ${mode}`;
}

const ended = ['provider', 'object', 'write', ...losses.map((loss) => `${loss}, reply lost`)];

function endedCells(row: PromiseRow): string[] {
  const { object, endings } = row;
  return [
    providerNames[object.provider],
    object.name,
    writeOf(row),
    ...losses.map((loss) => endingText(endings[loss])),
  ];
}

function endingText(ending: Ending | undefined): string {
  if (ending === undefined) return '–';
  return `${ending.outcome}; ${ending.kept} at the CRM; ${ending.sends === 1 ? 'sent once' : 'sent twice'}`;
}

/** Columns as wide as their widest cell. */
export function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = head.map((name, at) => Math.max(...[head, ...body].map((cells) => (cells[at] ?? '').length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
