/** Larger values would make a hint slower than what it saves. */
const valueBytesMax = 256 * 1024;

/** Whether a cache keeps this at all. */
export function isKept(value: string, ttlMs: number): boolean {
  return Number.isFinite(ttlMs) && ttlMs >= 1 && Buffer.byteLength(value) <= valueBytesMax;
}
