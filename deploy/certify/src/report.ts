import type { CertifyReport } from './certify';
import type { Finding, Hindrance } from './finding';
import type { RecordedExchange } from './recording';

export interface Hindered {
  readonly provider: string;
  /** Of the environment. */
  readonly tokenName: string;
  readonly hindrance: Hindrance | 'rejected';
  /** The provider's message. */
  readonly said: string;
}

/** What a person does about it. */
const remedies: Readonly<Record<Hindered['hindrance'], (tokenName: string) => string>> = {
  credentials: (name) => `Put a token that is in force into ${name}.`,
  forbidden: (name) => `Give the token of ${name} the right to read and write the object, and run again.`,
  quota: () => `Run again when the limit has room.`,
  unavailable: () => `Run again later.`,
  timeout: () => `Run again later.`,
  unknown: () => `Run again later.`,
  rejected: () => `Correct what it names, and run again.`,
};

const heads: Readonly<Record<Hindered['hindrance'], string>> = {
  credentials: 'the token is refused',
  forbidden: 'the token may not do this',
  quota: 'a limit is reached',
  unavailable: 'the provider does not answer',
  timeout: 'the provider does not answer in time',
  unknown: 'the provider gives no answer that can be understood',
  rejected: 'the account does not open',
};

/** One line: the obstacle, with the provider's message, and what to do. */
export function hindranceLine({ provider, tokenName, hindrance, said }: Hindered): string {
  const words = said.replace(/^\w+: /, '').replace(/[.\s]+$/, '');
  return `NOT CERTIFIED, ${provider}: ${heads[hindrance]}: ${words}. ${remedies[hindrance](tokenName)}`;
}

/** The first row that the account hindered. */
export function hindered(findings: readonly Finding[]): (Finding & { readonly hindrance: Hindrance }) | undefined {
  return findings.find(
    (finding): finding is Finding & { readonly hindrance: Hindrance } => finding.hindrance !== undefined,
  );
}

/**
 * What a person reads below the table of the report: what the account listed, whole, and what it answered.
 * @param token which a provider may repeat; masked before anything is cut, because a part of it is not found any more
 */
export function renderAnswers(
  { findings, shown }: Pick<CertifyReport, 'findings' | 'shown'>,
  exchanges: readonly RecordedExchange[],
  token: string,
): string {
  const hide: Hide = (text) => (token === '' ? text : text.replaceAll(token, '[token]'));
  const lists = [...shown].map(([title, items]) => `${title}, ${items.length}:\n${wrapped(items)}`);
  const rows = findings.flatMap(({ capability, seen, verdict }) => {
    const decisive = decisiveOf(exchanges.filter(({ step }) => step === capability));
    return decisive ? [`  ${capability}: ${answered(decisive, hide)} => ${verdict === 'ok' ? seen : verdict}`] : [];
  });
  return hide([...lists, `what the provider answered, and what we make of it:\n${rows.join('\n')}`].join('\n\n'));
}

type Hide = (text: string) => string;

const lineMax = 150;

function wrapped(items: readonly string[]): string {
  const lines: string[] = [];
  for (const item of items.map(plain)) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + item.length + 2 <= lineMax) lines.splice(-1, 1, `${line}, ${item}`);
    else lines.push(`  ${item}`);
  }
  return lines.join('\n');
}

/** Of what a step asked, the reply that decided: a refusal, else the first write, else the first. */
function decisiveOf(exchanges: readonly RecordedExchange[]): RecordedExchange | undefined {
  return (
    exchanges.find(({ reply }) => (reply?.status ?? 0) >= 400) ??
    exchanges.find(({ request }) => request.method !== 'GET') ??
    exchanges[0]
  );
}

function answered({ request: { method, path }, reply }: RecordedExchange, hide: Hide): string {
  const asked = `${method} ${plain(path.replace(/\?.*/s, '?…'))}`;
  if (!reply) return `${asked}: no reply`;
  const words = wordsOf(reply.json);
  return [`${asked}: ${reply.status}`, ...words.map((word) => JSON.stringify(shortened(plain(hide(word)))))].join(' ');
}

/** Members in which providers say what is wrong. */
const errorMembers = new Set([
  'errorCode',
  'statusCode',
  'category',
  'code',
  'error',
  'title',
  'message',
  'description',
  'detail',
]);
const wordsMax = 3;

function wordsOf(json: unknown): string[] {
  const words = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || words.size >= wordsMax) return;
    for (const [name, member] of Object.entries(value)) {
      if (errorMembers.has(name) && typeof member === 'string' && member !== '') words.add(member);
      else collect(member);
    }
  };
  collect(json);
  return [...words].slice(0, wordsMax);
}

const wordMax = 100;

function shortened(word: string): string {
  return word.length <= wordMax ? word : `${word.slice(0, wordMax - 1)}…`;
}

/** A provider's text moves no cursor. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, ' ');
}

const columns = ['capability', 'we say', 'the account showed', 'verdict'] as const;
/** Wider cells are cut; the recording has them whole. What a person has to do is not cut. */
const cellMax = 60;

/** The report as a table for people. */
export function renderReport({ findings, left, stays, interrupted }: CertifyReport): string {
  const rows = [columns, ...findings.map(cellsOf)].map((cells) => cells.map(cellOf));
  const widths = columns.map((_, at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0)));
  const lines = rows.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  lines.splice(1, 0, '-'.repeat(widths.reduce((sum, width) => sum + width + 2, -2)));
  const count = (verdict: Finding['verdict']) => findings.filter((finding) => finding.verdict === verdict).length;
  const summary = `${count('ok')} ok, ${count('differs')} differ, ${count('not tried')} not tried`;
  const ends = [
    summary,
    ...(interrupted === undefined ? [] : ['interrupted: the rest was not tried']),
    endOf(left, stays),
  ];
  return [...lines, '', ...ends].join('\n');
}

function endOf(left: readonly string[], stays: readonly string[]): string {
  if (left.length > 0) return `LEFT IN THE ACCOUNT: ${left.join(', ')}`;
  if (stays.length > 0) return `stays in the account, as asked: ${stays.join(', ')}`;
  return 'nothing is left in the account';
}

function cellsOf({ capability, claimed, seen, verdict }: Finding): string[] {
  return [capability, claimed, seen, verdict];
}

function cellOf(cell: string): string {
  return cell.length <= cellMax || cell.startsWith('delete by hand') ? cell : `${cell.slice(0, cellMax - 1)}…`;
}
