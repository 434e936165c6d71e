import type { Finding, Hindrance } from './finding';

export interface Hindered {
  readonly provider: string;
  /** Of the environment. */
  readonly tokenName: string;
  readonly hindrance: Hindrance | 'rejected';
  /** What the provider said. */
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

/** One line: what stands in the way, in the provider's words, and what to do. */
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
