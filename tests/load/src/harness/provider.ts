import { startChild } from './child';

/** What an account does with calls that write or search. @default answers at once */
export interface AccountBehaviour {
  readonly latencyMs?: number;
}

/** Calls that carried records to write, since the last reset. */
export interface ProviderCounts {
  readonly calls: number;
  readonly records: number;
  /** By token. `dwellsMs`: time from the property `sentat` of each record until its arrival. */
  readonly byAccount: Readonly<Record<string, { calls: number; records: number; dwellsMs: number[] }>>;
}

/** The imitated provider of the benchmark: cheap, in a process of its own. */
export interface Provider {
  readonly url: string;
  readonly pid: number;
  /** Of every account that has no behaviour of its own, or of one. */
  behave(behaviour: AccountBehaviour, account?: string): Promise<void>;
  counts(): Promise<ProviderCounts>;
  /** Forgets counts and behaviours. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export async function startProvider(): Promise<Provider> {
  const child = await startChild('processes/provider', {});
  const url = `http://127.0.0.1:${(child.ready as { port: number }).port}`;
  const control = async <Body>(path: string, init?: RequestInit): Promise<Body> =>
    (await (await fetch(`${url}/_bench/${path}`, init)).json()) as Body;
  return {
    url,
    pid: child.pid,
    behave: async (behaviour, account) => {
      await control('behaviour', { method: 'POST', body: JSON.stringify({ ...behaviour, account }) });
    },
    counts: () => control<ProviderCounts>('counts'),
    reset: async () => void (await control('counts', { method: 'DELETE' })),
    stop: () => child.kill(),
  };
}
