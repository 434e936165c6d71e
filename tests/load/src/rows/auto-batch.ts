import type { Bench } from '../harness/bench';
import { withDatabase } from '../harness/database';
import { assertNoFailure, drained } from '../harness/drain';
import type { System } from '../harness/system';
import { until } from '../harness/until';
import { autoBatched, writeBody } from '../harness/write-body';
import { connections, writeTarget } from './accept';

export interface AutoBatchRun {
  readonly records: number;
  readonly elapsedMs: number;
  /** Calls that the provider got. */
  readonly calls: number;
}

export interface AutoBatchOptions {
  /** A multiple of 100 per key, so that every batch leaves because it is full. */
  readonly records: number;
  /** Customers that they are dealt to: batch keys. */
  readonly keys: number;
}

/** What a run of the row's length takes; short ones in a quick run. */
export function sizeOf({ isQuick }: Pick<Bench, 'isQuick'>, records: number, keys = 100): AutoBatchOptions {
  return isQuick ? { records: 100, keys: 1 } : { records, keys };
}

/** Accepts auto-batched records as fast as they come and waits until the provider has them and every operation has ended. */
export async function runAutoBatch(bench: Bench, system: System, options: AutoBatchOptions): Promise<AutoBatchRun> {
  const { records, keys } = options;
  await bench.provider.reset();
  const startedAtMs = performance.now();
  await bench.load.run({
    ...writeTarget(system),
    body: writeBody(autoBatched),
    groups: keys,
    connections,
    count: records,
  });
  await until('the provider has every record', async () => (await bench.provider.counts()).records >= records);
  return withDatabase(system.databaseUrl, async (database) => {
    await drained(database);
    const elapsedMs = performance.now() - startedAtMs;
    await assertNoFailure(database);
    const { calls } = await bench.provider.counts();
    return { records, elapsedMs, calls };
  });
}
