import type { ObservedQuota } from '@sluice/connectors';
import type { LaneKey } from '@sluice/store';

/** The bucket that the calls of a lane are counted in. */
export function bucketOf({ projectId, laneId }: LaneKey): string {
  return `${projectId}/${laneId}`;
}

/** The bucket of the lane's searches, where the provider has a limit for them alone. */
export function searchBucketOf(lane: LaneKey): string {
  return `${bucketOf(lane)}/search`;
}

/** Where it is kept until when the provider refuses searches of a lane. */
export function searchBlockKeyOf(lane: LaneKey): string {
  return `lane-search-block:${bucketOf(lane)}`;
}

/** Where the limit that replies stated for a lane is kept. */
export function limitKeyOf(lane: LaneKey): string {
  return `lane-limit:${bucketOf(lane)}`;
}

export function limitText({ limit, windowMs }: ObservedQuota): string {
  return `${limit}/${windowMs}`;
}

/** Undefined for what is no limit: the text comes from a store that others may write to. */
export function limitOf(text: string | undefined): ObservedQuota | undefined {
  const [, limit, windowMs] = /^(\d{1,9})\/([1-9]\d{0,9})$/.exec(text ?? '') ?? [];
  return limit === undefined ? undefined : { limit: Number(limit), windowMs: Number(windowMs) };
}
