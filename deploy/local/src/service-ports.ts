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
