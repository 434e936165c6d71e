import { isPortFree, unavailable, waitUntil } from '@sluice/stack';

/** The five services of the card and the sandbox, with the distance of their port from SLUICE_PORT_BASE. */
export const servicePorts = {
  management: 100,
  search: 200,
  'write-gateway': 300,
  batcher: 400,
  executor: 500,
  sandbox: 600,
} as const;
export type ProcessName = keyof typeof servicePorts;

/** A service's metrics have a port of their own, this far from the other one. */
export const metricsDistance = 10;

/** The sandbox has none. */
export function hasMetrics(name: ProcessName): boolean {
  return name !== 'sandbox';
}

/** Where the service at `url` shows its metrics. */
export function metricsUrlOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `http://${hostname}:${Number(port) + metricsDistance}/metrics`;
}

/** Every port of the services of a base, as distances from it. */
export const portDistances: readonly number[] = Object.entries(servicePorts).flatMap(([name, distance]) =>
  hasMetrics(name as ProcessName) ? [distance, distance + metricsDistance] : [distance],
);

export const processNames = Object.keys(servicePorts) as readonly ProcessName[];

/** Where the services of one base are reached. The first three end with `/v1`, as in the specification. */
export interface Addresses {
  readonly baseUrl: string;
  readonly searchUrl: string;
  readonly writeUrl: string;
  readonly sandboxUrl: string;
}

export function addressesOf(portBase: number): Addresses {
  const url = (name: ProcessName) => `http://127.0.0.1:${portBase + servicePorts[name]}`;
  return {
    baseUrl: `${url('management')}/v1`,
    searchUrl: `${url('search')}/v1`,
    writeUrl: `${url('write-gateway')}/v1`,
    sandboxUrl: url('sandbox'),
  };
}

export interface PortsCheck {
  readonly portBase: number;
  readonly names: readonly ProcessName[];
  /** What the person called, for the advice. */
  readonly command: string;
  /** Who listens there, when that is known. */
  readonly owner?: string | undefined;
}

/** How long services whose launcher was killed may take to end by themselves, in milliseconds. */
const orphansMs = 5_000;

/**
 * Looked at before anything is started, so that a taken port leaves nothing behind.
 * @throws DependencyError that names the ports and SLUICE_PORT_BASE
 */
export async function assertPortsFree({ portBase, names, command, owner }: PortsCheck): Promise<void> {
  let taken: readonly string[] = [];
  const areFree = async () => (taken = await takenPorts(portBase, names)).length === 0;
  if (await waitUntil(areFree, { withinMs: owner === undefined ? orphansMs : 0 })) return;
  const subject = taken.length === 1 ? `Port ${taken[0]} is` : `Ports ${taken.join(', ')} are`;
  throw unavailable(`${subject} in use by ${owner ?? 'another program'}, so nothing was started.`, {
    remedy: `Stop it, or move all ports together: SLUICE_PORT_BASE=${otherBase(portBase)} ${command}`,
  });
}

async function takenPorts(portBase: number, names: readonly ProcessName[]): Promise<readonly string[]> {
  const taken: string[] = [];
  for (const name of names) {
    const port = portBase + servicePorts[name];
    if (!(await isPortFree(port))) taken.push(`${port} (${name})`);
    const metrics = port + metricsDistance;
    if (hasMetrics(name) && !(await isPortFree(metrics))) taken.push(`${metrics} (metrics of ${name})`);
  }
  return taken;
}

/** Any other base will do; the largest allowed one has no higher neighbour. */
function otherBase(portBase: number): number {
  return portBase + 1_000 <= 64_000 ? portBase + 1_000 : 5_000;
}
