import { until } from '@sluice/testkit';
import { call } from '../../harness/api';
import type { Sent } from './load';
import type { System } from '../../harness/system';

/** What a run proved, or disproved; every bound is 0. `unknown` counts writes whose reply the client lost. */
export interface Verdict {
  readonly accepted: number;
  readonly unknown: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly nonTerminal: number;
  readonly falseFailure: number;
  readonly recoveryMs: number;
}

interface SandboxRecord {
  readonly id: string;
  readonly properties: Readonly<Record<string, string | null>>;
}

/**
 * Waits until every accepted operation is final, then compares what clients were told with what the provider holds.
 * Source: reliability notes 3.2 (an adapted Jepsen total-queue checker).
 */
export async function check(system: System, sent: readonly Sent[], boundMs = 60_000): Promise<Verdict> {
  const startedAtMs = performance.now();
  const operationIds = [...new Set(sent.flatMap(({ operationId }) => operationId ?? []))];
  const results = await waitForAll(system, operationIds, boundMs);
  const recoveryMs = Math.round(performance.now() - startedAtMs);
  const url = `${system.processes.url('sandbox')}/_sandbox/records?account=${system.account}&object=contacts`;
  const records = await call<SandboxRecord[]>(url, { method: 'GET' });
  const rows = Map.groupBy(records, (record) => record.properties['lastname'] ?? '');
  const rowsOf = (marker: string): number => rows.get(marker)?.length ?? 0;
  return {
    accepted: sent.filter(({ outcome }) => outcome === 'accepted').length,
    unknown: sent.filter(({ outcome }) => outcome === 'unknown').length,
    lost: sent.filter(({ outcome, marker }) => outcome === 'accepted' && rowsOf(marker) === 0).length,
    duplicates: sent.filter(({ marker }) => rowsOf(marker) > 1).length,
    nonTerminal: operationIds.filter((id) => !results.has(id)).length,
    // Every record of this load is valid and new, so a failure is a second send that met the first one's record.
    falseFailure: [...results.values()].filter((result) => !/^Write completed| 0 failed\)/.test(result)).length,
    recoveryMs,
  };
}

async function waitForAll(system: System, ids: readonly string[], boundMs: number): Promise<Map<string, string>> {
  const results = new Map<string, string>();
  const look = async (): Promise<true | undefined> => {
    for (const id of ids.filter((each) => !results.has(each))) {
      const operation = await system.operation(id);
      if (operation.status === 'in_progress') return undefined;
      results.set(id, operation.result ?? '');
    }
    return true;
  };
  await until('every accepted operation is final', look, boundMs).catch(() => undefined);
  return results;
}

/** One line per run, as the reliability notes ask for. */
export function report(row: string, verdict: Verdict): void {
  process.stdout.write(`${JSON.stringify({ row, ...verdict })}\n`);
}
