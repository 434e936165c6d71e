import type { CleanUp } from './clean-up';
import type { Block, Finding } from './finding';

export interface Blocked {
  readonly provider: string;
  /** Of the environment. */
  readonly tokenName: string;
  readonly block: Block | 'rejected';
  /** The provider's message. */
  readonly said: string;
}

const head: Readonly<Record<Blocked['block'], string>> = {
  credentials: 'the token is refused',
  forbidden: 'the token may not do this',
  quota: 'a limit is reached',
  unavailable: 'the provider does not answer',
  timeout: 'the provider does not answer in time',
  unknown: 'the provider gives no answer that can be understood',
  rejected: 'the account does not open',
};

/** What a person does about it. */
function remedyFor(block: Blocked['block'], tokenName: string): string {
  if (block === 'credentials') return `Put a token that is in force into ${tokenName}.`;
  if (block === 'forbidden')
    return `Give the token of ${tokenName} the right to read and write the object, and run again.`;
  if (block === 'rejected') return 'Correct what it names, and run again.';
  return block === 'quota' ? 'Run again when the limit has room.' : 'Run again later.';
}

/** One line: the obstacle, with the provider's message, and what to do. */
export function blockedLine({ provider, tokenName, block, said }: Blocked): string {
  const words = said.replace(/^\w+: /, '').replace(/[.\s]+$/, '');
  return `NOT CERTIFIED, ${provider}: ${head[block]}: ${words}. ${remedyFor(block, tokenName)}`;
}

interface Report extends CleanUp {
  readonly isInterrupted: boolean;
}

const detailMax = 400;

/** What a person reads. @param token which a provider may repeat; masked before anything is cut, because a part of it is not found any more */
export function renderReport({ findings, left, stays, isInterrupted }: Report, token: string): string {
  const lines = findings.map(({ name, verdict, detail }) => {
    const shown = detail === undefined ? '' : `\n           ${plain(masked(detail, token)).slice(0, detailMax)}`;
    return `${verdict.padEnd(9)}  ${name}${shown}`;
  });
  const count = (verdict: Finding['verdict']) => findings.filter((finding) => finding.verdict === verdict).length;
  const ends = [
    `${count('ok')} ok, ${count('differs')} differ, ${count('not tried')} not tried`,
    ...(isInterrupted ? ['interrupted: the rest was not tried'] : []),
    endOf(left, stays),
  ];
  return [...lines, '', ...ends].join('\n');
}

function endOf(left: readonly string[], stays: readonly string[]): string {
  if (left.length > 0) return `LEFT IN THE ACCOUNT: ${left.join(', ')}`;
  if (stays.length > 0) return `stays in the account, delete by hand: ${stays.join(', ')}`;
  return 'nothing is left in the account';
}

function masked(text: string, token: string): string {
  return token === '' ? text : text.replaceAll(token, '[token]');
}

/** A provider's text moves no cursor. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
}
