import type { Row } from '../harness/bench';
import { p01 } from './p01-accept-express';
import { p05 } from './p05-accept-p99';
import { p06 } from './p06-auto-batch';
import { p07 } from './p07-calls-per-thousand';
import { p08 } from './p08-drain-singles';
import { p09 } from './p09-synchronous-latency';
import { p10 } from './p10-synchronous-cpu';
import { p11 } from './p11-claim-latency';
import { p13 } from './p13-quiet-lanes';
import { p14 } from './p14-without-broker';
import { p15 } from './p15-recovery';
import { p16 } from './p16-cpu-per-million';
import { p17 } from './p17-memory';
import { p19 } from './p19-get-operation';
import { p20 } from './p20-telemetry-cost';
import { p21 } from './p21-connector-overhead';
import { p22 } from './p22-console-pages';

/** Every goal, in its order. */
export const rows: readonly Row[] = [
  p01,
  p05,
  p06,
  p07,
  p08,
  p09,
  p10,
  p11,
  p13,
  p14,
  p15,
  p16,
  p17,
  p19,
  p20,
  p21,
  p22,
];
