import type { LaneKey, Store } from '@sluice/store';
import type { LookOutcome } from './look-for-created';

/** Block of a lane whose provider says neither how long nor why; HubSpot's rolling window is this long. */
export const defaultBlockMs = 10_000;

/**
 * What an attempt says about its lane and its connection. Called before the settlement, so that nobody claims from a lane that
 * was just refused. A 429 blocks the lane, not each write of it. Status writes compare-and-set on the version of the token that was used.
 * A write that needed no call says nothing. Source: specification, Connection status.
 * @returns milliseconds that the lane is blocked for; 0 when it is not
 */
export async function noteOutcome(
  store: Pick<Store, 'connections' | 'writes'>,
  lane: LaneKey,
  { used, results, calls }: Omit<LookOutcome, 'quota'>,
): Promise<number> {
  if (calls === 0) return 0;
  const failures = results.flatMap((result) => (result.ok ? [] : [result.error]));
  const block = failures.find((failure) => failure.scope === 'lane');
  const blockMs = block === undefined ? 0 : (block.retryAfterMs ?? defaultBlockMs);
  if (block !== undefined) await store.writes.blockLane(lane, blockMs, block.message);
  const isRefused = failures.some((failure) => failure.class === 'credentials');
  const status = isRefused ? 'bad_credentials' : results.some((result) => result.ok) ? 'working' : used.status;
  if (status === used.status) return blockMs;
  const { connectionId, tokenVersion } = used;
  await store.connections.setStatus({ projectId: lane.projectId, connectionId, tokenVersion, status });
  return blockMs;
}
