import { processPanels } from './panels/process-panels';
import { providerPanels } from './panels/provider-panels';
import { writePanels } from './panels/write-panels';
import type { Panel } from './panels/panel';

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
