/** An API of the specification: its service, the port that this has by default, and what requests for it look like. */
interface Api {
  readonly name: string;
  readonly service: string;
  readonly port: number;
  readonly methods: RegExp;
  readonly path: RegExp;
}

/** The first that fits has the request. Source: the specification, base URLs. */
const apis: readonly Api[] = [
  {
    name: 'write',
    service: 'write-gateway',
    port: 4300,
    methods: /^(POST|OPTIONS)$/,
    path: /^\/v1\/projects\/[^/]+\/integrations\/[^/]+\/objects\/[^/]+\/?$/,
  },
  {
    name: 'search',
    service: 'search',
    port: 4200,
    methods: /^(POST|OPTIONS)$/,
    path: /^\/v1\/projects\/[^/]+\/integrations\/[^/:]+\/?$/,
  },
  {
    name: 'management',
    service: 'management',
    port: 4100,
    methods: /^/,
    path: /^\/v1\/(projects|providers|oauth-connect|generate-upload-url)(\/|$)/,
  },
];

/**
 * Where a request that means nothing here belongs: under `/v1`, under it once, or at another of the three base URLs.
 * @returns a remedy; undefined for what no API has, or what only has a mistake behind its first words
 */
export function rightAddress({ method, path }: { method: string; path: string }, service: string): string | undefined {
  const meant = /^\/v1(\/|$)/.test(path) ? path.replace(/^(\/v1)+(?=\/v1(\/|$))/, '') : `/v1${path}`;
  const api = apis.find((one) => one.methods.test(method) && one.path.test(meant));
  if (api === undefined) return undefined;
  const shown = meant.slice(0, 200);
  if (api.service !== service) {
    return `Send it to the base URL of the ${api.name} API (port ${api.port} unless it was set otherwise), as ${method} ${shown}.`;
  }
  return meant === path ? undefined : `Send it as ${method} ${shown}: a base URL ends with /v1, once.`;
}
