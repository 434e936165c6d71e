import { DependencyError } from '@sluice/errors';
import { isPortFree } from '@sluice/stack';
import { hasMetrics, metricsDistance, servicePorts, type ProcessName } from './service-ports';

export interface PortsCheck {
  readonly portBase: number;
  readonly names: readonly ProcessName[];
  /** What the person called, for the advice. */
  readonly command: string;
  /** Who listens there, when that is known. */
  readonly owner?: string | undefined;
}

/**
 * Looked at before anything is started, so that a taken port leaves nothing behind.
 * @throws DependencyError that names the ports and SLUICE_PORT_BASE
 */
export async function assertPortsFree({ portBase, names, command, owner }: PortsCheck): Promise<void> {
  const taken: string[] = [];
  for (const name of names) {
    const port = portBase + servicePorts[name];
    if (!(await isPortFree(port))) taken.push(`${port} (${name})`);
    const metrics = port + metricsDistance;
    if (hasMetrics(name) && !(await isPortFree(metrics))) taken.push(`${metrics} (metrics of ${name})`);
  }
  if (taken.length === 0) return;
  const subject = taken.length === 1 ? `Port ${taken[0]} is` : `Ports ${taken.join(', ')} are`;
  throw new DependencyError({
    code: 'service.unavailable',
    detail: `${subject} in use by ${owner ?? 'another program'}, so nothing was started.`,
    remedy: `Stop it, or move all ports together: SLUICE_PORT_BASE=${otherBase(portBase)} ${command}`,
  });
}

/** Any other base will do; the largest allowed one has no higher neighbour. */
function otherBase(portBase: number): number {
  return portBase + 1_000 <= 64_000 ? portBase + 1_000 : 5_000;
}
