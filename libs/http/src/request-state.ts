import type { Request, Response } from 'express';
import { DefectError, type SluiceError } from '@sluice/errors';
import { createByteBudget, heapShare, HeldBytes, type ByteBudget, type Step } from '@sluice/telemetry';
import type { Caller } from '@sluice/types';
import type { BuiltDocument } from './contract/build-document';

/** What the server and the routes of one app share. */
export interface AppState {
  /** Largest request body, in bytes. */
  bodyBytesMax: number;
  readonly budgets: ByteBudgets;
  /** True once the server is closing: the app is alive, and no longer ready. */
  draining: boolean;
  /** What the app's routes promise; absent when it has no API. */
  contract?: BuiltDocument;
  /** Answers a request for which Express calls no handler. */
  refuseUnrouted?: (req: Request, res: Response) => void;
}

/**
 * Bytes that a process holds at once. A body counts from before it is read until its request is answered, and costs several times its size: its
 * text, its parsed value, the plans made of it and what is sent of them.
 */
export interface ByteBudgets {
  /** Small bodies have a budget of their own, so that no large one holds them up. */
  readonly small: ByteBudget;
  readonly large: ByteBudget;
  /** Replies made of rows or of a provider's answer, until they are sent. */
  readonly replies: ByteBudget;
}

/**
 * Divisors of the heap. A write of 4.8 MB takes 45 MB of a gateway until its reply (tests/memory), nine times its budget; large bodies of all
 * callers therefore fill a third of the heap.
 */
const heapShares = { large: 24, small: 32, replies: 12 };

const states = new WeakMap<object, AppState>();

/** State of an app made by createApp; other Express apps get the defaults. */
export function stateOf(app: object): AppState {
  let state = states.get(app);
  if (!state) {
    // 1 MB: the largest single write.
    state = { bodyBytesMax: 1_048_576, budgets: createBudgets(), draining: false };
    states.set(app, state);
  }
  return state;
}

function createBudgets(): ByteBudgets {
  const budgetOf = (share: number): ByteBudget => createByteBudget(heapShare(share));
  return {
    small: budgetOf(heapShares.small),
    large: budgetOf(heapShares.large),
    replies: budgetOf(heapShares.replies),
  };
}

/** What this package knows about one request. Kept in `res.locals`. */
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

export function localsOf(res: Response): RequestLocals {
  return res.locals as RequestLocals;
}

/** Who sent the request. @throws DefectError on a route without an authenticator */
export function callerOf(res: Response): Caller {
  const { caller } = localsOf(res);
  if (!caller)
    throw new DefectError({ code: 'service.defect', detail: 'a route needs a caller and does not check one' });
  return caller;
}

/** What a request takes of budgets: released when its reply is complete or its caller has left. */
export function heldOf(res: Response): HeldBytes {
  const locals = localsOf(res);
  if (locals.held === undefined) {
    const held = new HeldBytes(ownerOf(locals.caller));
    locals.held = held;
    res.on('close', () => held.end());
    // The caller may have left during the lookup of the key: then `close` came before this listener.
    if (res.closed || res.destroyed) held.end();
  }
  return locals.held;
}

/** A group's own browser takes nothing from the share of its project's backend. */
function ownerOf(caller: Caller | undefined): string | undefined {
  if (caller?.kind === 'token') return `${caller.projectId}/${caller.groupRef}`;
  return caller?.projectId;
}
