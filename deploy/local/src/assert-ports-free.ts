import { DependencyError } from '@sluice/errors';
import { servicePorts, type ProcessName } from './service-ports';
import { isPortFree } from './stack/ports';

/**
 * Looked at before anything is started, so that a taken port leaves nothing behind.
 * @param command for the advice
 * @throws DependencyError that names the ports and SLUICE_PORT_BASE
 */
export async function assertPortsFree(portBase: number, names: readonly ProcessName[], command: string): Promise<void> {
  const taken: string[] = [];
  for (const name of names) {
    const port = portBase + servicePorts[name];
    if (!(await isPortFree(port))) taken.push(`${port} (${name})`);
  }
  if (taken.length === 0) return;
  const subject = taken.length === 1 ? `Port ${taken[0]} is` : `Ports ${taken.join(', ')} are`;
  throw new DependencyError({
    code: 'service.unavailable',
    detail: `${subject} in use by another program, so nothing was started.`,
    remedy: `Stop that program, or move all ports together: SLUICE_PORT_BASE=${otherBase(portBase)} ${command}`,
  });
}

/** Any other base will do; the largest allowed one has no higher neighbour. */
function otherBase(portBase: number): number {
  return portBase + 1_000 <= 64_000 ? portBase + 1_000 : 5_000;
}
