import { processPanels } from './panels/process-panels';
import { providerPanels } from './panels/provider-panels';
import { writePanels } from './panels/write-panels';

/** How a value is written, in the words of Grafana. */
export type Unit = 'short' | 's' | 'percentunit' | 'reqps' | 'ops' | 'bytes' | 'dateTimeFromNow';

/** A picture of one question. */
export interface Panel {
  readonly title: string;
  /** What to read out of it. */
  readonly description: string;
  readonly unit: Unit;
  /** Expression -> legend. `$window` is the range that fits the resolution. */
  readonly lines: readonly (readonly [expr: string, legend: string])[];
}

export interface Dashboard {
  /** Stable: links lead to it. */
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

export const dashboards: readonly Dashboard[] = [
  { uid: 'sluice-writes', title: 'Sluice / Writes', panels: writePanels },
  { uid: 'sluice-providers', title: 'Sluice / Providers', panels: providerPanels },
  { uid: 'sluice-processes', title: 'Sluice / Processes', panels: processPanels },
];
