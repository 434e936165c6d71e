import type { QuotaRequest } from './hints';

/** A request with its rules applied: whole numbers, `cost` at least 1 and at most `calls`. */
export interface Allowance {
  readonly windowMs: number;
  readonly cost: number;
  /** Calls the request may see in the window, itself included; the reserve is already left out. 0: nothing is allowed. */
  readonly calls: number;
}

/** Kept for synchronous calls, for which somebody waits. Source: design, hazard 2.16. */
const defaultReserve = 0.2;

/** @param share part of the limit that is this process's own: 1 with a shared count, less without */
export function allowanceOf(request: QuotaRequest, share = 1): Allowance {
  const windowMs = Math.max(1, Math.floor(request.windowMs));
  const full = Math.max(0, Math.floor(request.limit));
  // At least one call: a bucket of limit 1 would otherwise stand still for as long as Redis is away.
  const limit = full === 0 ? 0 : Math.max(1, Math.floor(full * share));
  const reserve = request.priority === 'synchronous' ? 0 : Math.min(1, Math.max(0, request.reserve ?? defaultReserve));
  // Asynchronous work never stops altogether, whatever the reserve.
  const calls = Math.max(Math.min(1, limit), Math.floor(limit * (1 - reserve)));
  const cost = Math.min(Math.max(1, Math.floor(request.cost ?? 1)), Math.max(1, calls));
  return { windowMs, cost, calls };
}
