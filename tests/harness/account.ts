import { randomUUID } from 'node:crypto';
import type { Addresses } from './addresses';
import { call } from './api';

export type ProviderName = 'hubspot' | 'salesforce';

/** A record as the imitated CRM holds it now. */
export interface StoredRecord {
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** As the sandbox shows it, with what only this provider has. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** A call that the imitated CRM received. */
export interface LedgerEntry {
  readonly seq: number;
  /** When it arrived, ISO 8601. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly action: string;
  readonly status: number;
  readonly records: number;
  readonly applied: number;
  /** The scripted fault that it met. */
  readonly fault?: string;
}

/** A customer's account at an imitated CRM: the ground truth of a test. */
export interface Account {
  readonly name: string;
  readonly provider: ProviderName;
  readonly token: string;
  readonly refreshToken: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly workspaceRef: string;
  records(object: string): Promise<StoredRecord[]>;
  record(object: string, id: string): Promise<StoredRecord | undefined>;
  /** Every call, in the order of effect. */
  calls(): Promise<LedgerEntry[]>;
  /** Those of them that carried records to write. */
  writes(): Promise<LedgerEntry[]>;
  /** Scripts what becomes of the next calls; see the sandbox's README. */
  fault(fault: object): Promise<void>;
  /** Removes what was scripted; calls take as long as the account's options say. */
  clearFaults(): Promise<void>;
  /** The access token stops working; the refresh token stays good. */
  expireToken(): Promise<void>;
  /** Neither token works any more. */
  revoke(): Promise<void>;
}

type Created = Pick<Account, 'token' | 'refreshToken' | 'clientId' | 'clientSecret' | 'workspaceRef'>;

/** Suites that share a stack make names that do not meet. */
const suite = randomUUID().slice(0, 8);
let made = 0;

export interface AccountOptions {
  /** How long each call takes. @default 0 */
  readonly latencyMs?: number;
  /** What the sandbox takes: limits, rotateRefreshTokens, … */
  readonly [setting: string]: unknown;
}

export async function createAccount(
  stack: Addresses,
  provider: ProviderName,
  { latencyMs = 0, ...more }: AccountOptions = {},
): Promise<Account> {
  const name = `${provider}-${suite}-${(made += 1)}`;
  const sandbox = `${stack.sandboxUrl}/_sandbox`;
  const limits = provider === 'hubspot' ? { limits: { perTenSeconds: 100_000, searchesPerSecond: 0 } } : {};
  const created = await call<Created>(`${sandbox}/accounts`, { body: { name, provider, ...limits, ...more } });
  const records = async (object: string): Promise<StoredRecord[]> => {
    const url = `${sandbox}/records?account=${name}&object=${object}`;
    return (await call<Record<string, unknown>[]>(url, { method: 'GET' })).map(toStored);
  };
  const fault = async (one: object): Promise<void> =>
    void (await call(`${sandbox}/faults`, { body: { account: name, ...one } }));
  const slowDown = async (): Promise<void> => {
    if (latencyMs !== 0) await fault({ times: 0, action: { kind: 'slow', delayMs: latencyMs } });
  };
  await slowDown();
  const calls = () => call<LedgerEntry[]>(`${sandbox}/ledger?account=${name}`, { method: 'GET' });
  return {
    name,
    provider,
    token: created.token,
    refreshToken: created.refreshToken,
    clientId: created.clientId,
    clientSecret: created.clientSecret,
    workspaceRef: created.workspaceRef,
    records,
    record: async (object, id) => (await records(object)).find((record) => record.id === id),
    calls,
    writes: async () => (await calls()).filter((entry) => /create|update|upsert|delete|archive/.test(entry.action)),
    fault,
    clearFaults: async () => {
      await call(`${sandbox}/faults?account=${name}`, { method: 'DELETE' });
      await slowDown();
    },
    expireToken: async () => void (await call(`${sandbox}/accounts/${name}/expire-token`, { body: {} })),
    revoke: async () => void (await call(`${sandbox}/accounts/${name}/revoke`, { body: {} })),
  };
}

/** HubSpot shows `properties`, Salesforce `fields`. */
function toStored(shown: Record<string, unknown>): StoredRecord {
  const fields = (shown['properties'] ?? shown['fields'] ?? {}) as StoredRecord['fields'];
  return { id: String(shown['id']), fields, shown };
}
