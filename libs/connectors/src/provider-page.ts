import type { FailureClass } from '@sluice/errors';
import type { Capabilities } from './connector';
import { meaningOf, type SignalRow, type Sourced, type SuccessRow } from './signals';

/** What is known of one capability of a provider, and where from. */
interface CapabilityFact extends Sourced {
  /** How it works there; or that the provider lacks it. */
  readonly says: string;
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

/** A row without a condition: what becomes of a record of which a reply says nothing clear. */
type PlainRow = Sourced & { readonly signal: string; readonly class: FailureClass };

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

const signalHead = ['signal', 'class', 'meaning', 'wait', 'basis', 'source'];

/** Rows of a table of calls: what succeeded first. */
export function signalRows<Signal>(
  successes: readonly SuccessRow<Signal>[],
  failures: readonly (SignalRow<Signal> | PlainRow)[],
): string[][] {
  return [
    ...successes.map(({ signal, basis, source }) => [signal, 'ok', 'ok', '', basis, sectionOf(source)]),
    ...failures.map((row) => {
      const { isLane, waitMs, triesMax } = 'matches' in row ? row : {};
      const meaning = `${meaningOf(row.class)}${isLane ? ', blocks the account' : ''}`;
      const bound = triesMax === undefined ? [] : [`at most ${triesMax} tries`];
      return [
        row.signal,
        row.class,
        meaning,
        [durationOf(waitMs), ...bound].filter(Boolean).join('; '),
        row.basis,
        sectionOf(row.source),
      ];
    }),
  ];
}

/** `A3` of `providers.md, A3`, since the page names the file once. */
function sectionOf(source: string): string {
  return source.replace(/^providers\.md, /, '');
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
  const facts = Object.entries(capabilities).map(([name, { says, basis, source }]) => [
    `\`${name}\``,
    says,
    basis,
    sectionOf(source),
  ]);
  const parts = [
    `# ${title}: what is known, and what each answer means`,
    preface,
    `How to connect an account: [the guide](../guides/connect-${provider}.md). What is promised of a write: [the promises](../guides/promises.md).`,
    '## Capabilities',
    tableOf(['capability', 'how', 'basis', 'source'], facts),
    ...tables.flatMap((each) => [`## ${each.title}`, each.lead, tableOf(signalHead, each.rows)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}
