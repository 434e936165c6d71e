import type { Row } from '../harness/row';
import { f1 } from './f1-kill-gateway';
import { f2 } from './f2-kill-batcher';
import { f3 } from './f3-kill-executor';
import { f4 } from './f4-kill-all';
import { f5 } from './f5-failpoints';
import { f6 } from './f6-stop-executor';
import { f7 } from './f7-kill-broker';
import { f8 } from './f8-no-broker';
import { f9 } from './f9-unsure-broker';
import { f10 } from './f10-lost-topic';
import { f11 } from './f11-crash-postgres';
import { f12 } from './f12-lost-commit';
import { f13 } from './f13-slow-postgres';
import { f14 } from './f14-held-snapshot';
import { f15 } from './f15-redis';
import { f16 } from './f16-rate-storm';
import { f17 } from './f17-lost-replies';
import { f18 } from './f18-slow-account';
import { f19 } from './f19-partial-batches';
import { f20 } from './f20-provider-down';
import { f21 } from './f21-garbage';
import { f22 } from './f22-token-refresh';
import { f23 } from './f23-clock-skew';
import { f24 } from './f24-poison';
import { f25 } from './f25-full-disk';
import { f26 } from './f26-changed-meanwhile';
import { f27 } from './f27-rolling-restart';
import { f28 } from './f28-nemesis';
import { f29 } from './f29-two-versions';
import { f30 } from './f30-soak';
import { k1 } from './k1-only-kafka';

/** The first half of the fault matrix. Each half takes about as long. */
export const earlyRows: readonly Row[] = [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13];

export const lateRows: readonly Row[] = [
  f14,
  f15,
  f16,
  f17,
  f18,
  f19,
  f20,
  f21,
  f22,
  f23,
  f24,
  f25,
  f26,
  f27,
  f28,
  f29,
  f30,
  k1,
];

/** Every row of the fault matrix that can be run, in its order. */
export const rows: readonly Row[] = [...earlyRows, ...lateRows];

/** One of each kind: a process dies, an answer is lost, a transport is alone. */
export const shortRows: readonly Row[] = [f3, f12, k1];
