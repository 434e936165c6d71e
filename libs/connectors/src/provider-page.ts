import { retryOf } from '@sluice/errors';
import type { Capabilities } from './connector';
import { conditionText, type Fact, type FailureRow } from './failure-table';

/** What is known of one capability of a provider, and where from. */
interface CapabilityFact {
  /** How it works there; or that the provider lacks it. */
  readonly how: string;
  readonly fact: Fact;
}

/** Every capability of a connector, and each way to open an account. */
type CapabilityName =
  | Exclude<keyof Capabilities, 'fields'>
  | 'create'
  | 'update'
  | 'describe'
  | 'findCreated'
  | 'resend'
  | 'authorizationUrl'
  | 'exchangeCode'
  | 'refresh'
  | 'grant'
  | 'apiKey'
  | 'workspace'
  | 'scopes';

export type CapabilityFacts = Readonly<Record<CapabilityName, CapabilityFact>>;

/** A provider's page: `docs/providers/<provider>.md`. */
export interface ProviderPage {
  readonly provider: string;
  readonly title: string;
  readonly capabilities: CapabilityFacts;
  readonly tables: readonly SignalSection[];
}

/** One table of signals. */
interface SignalSection {
  readonly title: string;
  readonly lead: string;
  readonly rows: readonly string[][];
}

/** The rows of a failure table as they are printed, in the order in which they decide. */
export function failureRows(table: readonly FailureRow[]): string[][] {
  return table.map((row) => {
    const bound = row.triesMax === undefined ? [] : [`at most ${row.triesMax} tries`];
    const meaning = `${meaningOf(row)}${row.isLane ? ', blocks the account' : ''}`;
    const wait = [durationOf(row.waitMs), ...bound].filter(Boolean).join('; ');
    return [conditionText(row), row.class, meaning, wait, ...factCells(row.fact)];
  });
}

/**
 * What a class means for whoever sent the write. Of an update or a delete an unknown outcome is just tried again: its
 * end state is the same.
 */
function meaningOf({ class: of }: FailureRow): string {
  if (of === 'unknown' || of === 'timeout') return 'retry after reconciling';
  if (of === 'credentials') return 'refresh';
  if (of === 'ok') return 'ok';
  return retryOf(of) === 'never' ? 'permanent' : 'retry';
}

/** Basis and source of a fact. */
export function factCells(fact: string): string[] {
  const [basis = '', ...source] = fact.split(': ');
  return [basis, source.join(': ')];
}

function durationOf(waitMs: number | undefined): string {
  if (waitMs === undefined) return '';
  return waitMs >= 60_000 ? `${waitMs / 60_000} min` : `${waitMs / 1_000} s`;
}

const preface = `Written from the tables in \`libs/connectors/src\` by \`pnpm --filter @sluice/connectors print:pages\`; a test compares. Nothing here was checked on a
live account. **documented**: the provider's public pages or published OpenAPI. **recorded**: seen in a fixture, a probe or the code of an open-source
client. **assumed**: our judgement, or what is commonly said. Sources are sections of [providers.md](../contributing/providers.md).`;

/** The page as Markdown. */
export function renderPage({ provider, title, capabilities, tables }: ProviderPage): string {
  const facts = Object.entries(capabilities).map(([name, { how, fact }]) => [`\`${name}\``, how, ...factCells(fact)]);
  const parts = [
    `# ${title}: what is known, and what each reply means`,
    preface,
    `How to connect an account: [the guide](../guides/connect-${provider}.md). What is promised of a write: [the promises](../guides/promises.md).`,
    '## Capabilities',
    tableOf(['capability', 'how', 'basis', 'source'], facts),
    ...tables.flatMap((each) => [`## ${each.title}`, each.lead, signalTableOf(each.rows)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

export function signalTableOf(rows: readonly string[][]): string {
  return tableOf(['signal', 'class', 'meaning', 'wait', 'basis', 'source'], rows);
}

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}
