import type { CertifyReport } from './certify';
import type { RecordedExchange } from './recording';

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
const telling = new Set([
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
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || words.size >= wordsMax) return;
    for (const [name, member] of Object.entries(value)) {
      if (telling.has(name) && typeof member === 'string' && member !== '') words.add(member);
      else look(member);
    }
  };
  look(json);
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
