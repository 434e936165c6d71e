import { randomUUID } from 'node:crypto';
import type { Account } from './account';

export interface IssuedCode {
  readonly account: Account;
  readonly redirectUri: string;
  /** The S256 challenge of the request that gave the code; absent when it had none. */
  readonly codeChallenge?: string;
  readonly expiresAt: Date;
}

/** A code is good for a minute, which is what HubSpot documents. */
const LIFETIME_MS = 60_000;

/** Authorization codes that wait to be exchanged; not kept over a restart. */
export class AuthorizationCodes {
  private readonly codes = new Map<string, IssuedCode>();

  issue(grant: Omit<IssuedCode, 'expiresAt'>, now: Date): string {
    const code = randomUUID();
    this.codes.set(code, { ...grant, expiresAt: new Date(now.getTime() + LIFETIME_MS) });
    return code;
  }

  find(code: string): IssuedCode | undefined {
    return this.codes.get(code);
  }

  /** Uses a code up. */
  take(code: string, now: Date): IssuedCode | undefined {
    const found = this.codes.get(code);
    this.codes.delete(code);
    return found && found.expiresAt > now ? found : undefined;
  }

  clear(): void {
    this.codes.clear();
  }
}
