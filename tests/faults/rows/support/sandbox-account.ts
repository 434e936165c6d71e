import { call } from '../../../harness/api';
import type { Account } from '../../../harness/account';
import type { World } from '../../harness/world';

/** A call in the sandbox's ledger, as far as rows judge by it. Source: deploy/sandbox, README. */
export interface SandboxCall {
  readonly seq: number;
  /** Moment of arrival. */
  readonly at: string;
  readonly action: string;
  readonly status: number;
  readonly records: number;
  readonly applied: number;
  readonly recordIds: readonly string[];
  /** Marker of each record the call carried. */
  readonly carried?: readonly string[];
  /** Marker of each record it wrote. */
  readonly markers?: readonly string[];
  readonly fault?: string;
  /** Until the reply was decided, in milliseconds. */
  readonly tookMs: number;
}

/** Everything the provider received from an account, in the order of effect. */
export async function sandboxCalls({ stack }: World, { name }: Account, sinceSeq = 0): Promise<readonly SandboxCall[]> {
  const url = `${stack.sandboxUrl}/_sandbox/ledger?account=${name}&since=${sinceSeq}`;
  return await call<SandboxCall[]>(url, { method: 'GET' });
}

/** Takes back what was scripted for an account. */
export async function clearFaults({ stack }: World, { name }: Account): Promise<void> {
  await call(`${stack.sandboxUrl}/_sandbox/faults?account=${name}`, { method: 'DELETE' });
}

/** Changes settings of an account while it is used: `latencyMs`, `searchLagMs`, … */
export async function changeAccount({ stack }: World, { name, provider }: Account, settings: object): Promise<void> {
  await call(`${stack.sandboxUrl}/_sandbox/accounts`, { body: { name, provider, ...settings } });
}

/** The paths under which records are created, of both providers. */
export const createPaths =
  '^(/crm/v3/objects/\\w+(/batch/create)?|/services/data/[^/]+/(sobjects/\\w+|composite/sobjects))$';
