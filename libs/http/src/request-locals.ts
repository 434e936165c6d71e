import type { Response } from 'express';
import type { SluiceError } from '@sluice/errors';
import { HeldBytes, type Step } from '@sluice/telemetry';
import type { Caller } from '@sluice/types';

/** What the kit knows about one request. Kept in `res.locals`. */
export interface RequestLocals {
  requestId: string;
  /** Monotonic milliseconds. */
  startedAt: number;
  /** The request as a step of its trace; absent for what is not part of the API: probes, pages. */
  step?: Step;
  /** Template of the matched route, for metrics; absent when none matched. */
  route?: string;
  /** Set by the authenticator. */
  caller?: Caller;
  /** What it holds of budgets; see `heldOf`. */
  held?: HeldBytes;
  /** What the problem handler presented; logged with the request, once. */
  failure?: SluiceError;
}

/** The kit's notes on the request that `res` answers. */
export function localsOf(res: Response): RequestLocals {
  return res.locals as RequestLocals;
}

/** What a request takes of budgets: given back when its reply is done or its caller has left. */
export function heldOf(res: Response): HeldBytes {
  const locals = localsOf(res);
  if (locals.held === undefined) {
    const held = new HeldBytes(ownerOf(locals.caller));
    locals.held = held;
    res.on('close', () => held.end());
    // He may have left while he was looked up: then `close` was told before anybody listened.
    if (res.closed || res.destroyed) held.end();
  }
  return locals.held;
}

/** A group's own browser takes nothing from the share of its project's backend. */
function ownerOf(caller: Caller | undefined): string | undefined {
  if (caller?.kind === 'token') return `${caller.projectId}/${caller.groupRef}`;
  return caller?.projectId;
}
