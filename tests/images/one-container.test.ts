import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSluiceClient, type SluiceClient } from '@sluice/client';
import { readProcessEnv } from '@sluice/config';
import { until } from '@sluice/testkit';
import { freePortBase } from '../harness/free-port-base';
import { logsOf, removeContainers, startContainer, stopContainer, type Started } from './containers';
import { engine, factsOf, imageOf, tryEngine } from './engine';

const { IMAGES_TARGETS: wanted = 'sluice' } = readProcessEnv();
const isWanted = wanted.split(',').includes('sluice');
if (!isWanted) process.stderr.write('NOT RUN: everything in one container, which is none of the targets\n');

/** The aim; what it took is printed. */
const readyWithinMs = 10_000;
/** Far beyond what a busy machine needs. */
const testMs = 900_000;
const volume = `sluice-images-${process.pid}`;
let portBase: number;
let running: Started;

beforeAll(async () => {
  portBase = await freePortBase();
});
afterAll(() => {
  removeContainers();
  tryEngine(['volume', 'rm', '--force', volume]);
}, testMs);

/** Its ports are the host's here, so they are moved; a user publishes 4100, 4200 and 4300. */
const start = () =>
  startContainer(
    'sluice',
    { SLUICE_PORT_BASE: String(portBase), SLUICE_PORT: String(portBase + 100), SLUICE_HOST: '127.0.0.1' },
    ['--volume', `${volume}:/data`],
  );
const note = (what: string, { readyMs }: Started) =>
  process.stdout.write(
    `one container, ${what}: ready after ${readyMs} ms${readyMs > readyWithinMs ? ' (over)' : ''}\n`,
  );

/** What it says when all is there, after the services are ready. */
const wholeLog = (): Promise<string> =>
  until('its last line', () => [logsOf(running.name)].find((log) => log.includes('To move on: ')));

/** Runs it as nobody should. @param options of `run` */
const refused = (...options: readonly string[]) => {
  const { status, stderr } = tryEngine([
    'run',
    '--rm',
    '--read-only',
    '--cap-drop',
    'all',
    ...options,
    imageOf('sluice'),
  ]);
  return [status, stderr];
};

function clientOf(log: string): SluiceClient {
  const [, apiKey = ''] = /^API key {5}(sk_\S+)/m.exec(log) ?? [];
  const [, projectIdOrName = ''] = /^project {5}\S+ \((\S+)\)$/m.exec(log) ?? [];
  const at = (distance: number) => `http://127.0.0.1:${portBase + distance}/v1`;
  return createSluiceClient({ baseUrl: at(100), searchUrl: at(200), writeUrl: at(300), apiKey, projectIdOrName });
}

interface Accepted {
  readonly marker: string;
  readonly operationId: string;
}

/** Creates without a pause, every third one auto-batched, until one is not answered. @param accepted gets what was */
async function writeUntilItDies(client: SluiceClient, integrationId: string, caller: number, accepted: Accepted[]) {
  for (let n = 0; ; n += 1) {
    const marker = `one-${caller}-${n}`;
    const record = { email: `${marker}@example.com`, lastname: marker };
    const policy = n % 3 === 0 ? { autoBatchPolicy: { maxDelayMinutes: 1 } } : {};
    const body = { groupRef: 'demo-group', type: 'create', mode: 'asynchronous', record, ...policy } as const;
    const reply = await client.raw.write
      .writeRecords({ integrationId, objectName: 'contacts', body })
      .catch(() => undefined);
    if (reply?.status !== 200) return;
    accepted.push({ marker, operationId: (reply.body as { operationId: string }).operationId });
  }
}

(isWanted ? describe : describe.skip)('everything in one container', () => {
  it(
    'starts on a read-only root without rights, says its key once, and is healthy',
    async () => {
      running = await start();
      note('the first start', running);
      const log = await wholeLog();
      expect(log).toMatch(/^API key {5}sk_\S+ +shown this once/m);
      const [, movingOn = ''] = /^This is for one machine: .+ To move on: (\S+)$/m.exec(log) ?? [];
      expect(await (await fetch(movingOn)).text()).toMatch(/<h2[^>]*>.*Move on/);
      const [, ...check] = factsOf('sluice').Config.Healthcheck?.Test ?? [];
      expect(engine('exec', running.name, ...check)).toBe('');
      expect(engine('exec', running.name, 'id', '-u')).toBe('10001');
      expect(tryEngine(['exec', running.name, 'touch', '/app/x']).stderr).toMatch(/read-only file system/i);
      const settings = engine('exec', running.name, 'node', 'dist/index.js', 'container', '--settings');
      expect(settings).toMatch(/^DATABASE_URL=postgres:.+\nSLUICE_CREDENTIALS_KEYS=local:.+\nSLUICE_ADMIN_KEY=.+$/);
    },
    testMs,
  );

  it(
    'keeps a second container from its volume',
    () => {
      const said = expect.stringMatching(/^\/data is in use by another container\.\nStop that one, or /m);
      expect(refused('--volume', `${volume}:/data`)).toEqual([1, said]);
    },
    testMs,
  );

  it(
    'does not start without a volume: it would all be lost with the container',
    () => {
      const said = expect.stringMatching(/^No volume is mounted at \/data, .+\nAdd -v sluice:\/data to docker run\.$/m);
      expect(refused()).toEqual([1, said]);
    },
    testMs,
  );

  it(
    'does not start on a folder that it cannot write',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'sluice-images-'));
      chmodSync(folder, 0o755);
      const said = expect.stringMatching(/^\/data cannot be written: .+\nIt has to belong to user 10001: chown /m);
      expect(refused('--volume', `${folder}:/data`)).toEqual([1, said]);
      rmSync(folder, { recursive: true });
    },
    testMs,
  );

  it(
    'loses and doubles nothing when it is killed in the middle of its work',
    async () => {
      const client = clientOf(await wholeLog());
      const integrations = await client.management.listIntegrations();
      const integrationId = integrations.find(({ provider }) => provider === 'hubspot')?.id ?? '';
      const accepted: Accepted[] = [];
      const writing = [0, 1, 2, 3].map((caller) => writeUntilItDies(client, integrationId, caller, accepted));
      await until('hundred accepted', () => accepted[100], testMs);
      engine('kill', '--signal', 'KILL', running.name);
      await Promise.all(writing);
      engine('rm', '--force', running.name);

      running = await start();
      note('after kill -9', running);
      const log = await wholeLog();
      expect(log).not.toMatch(/\bsk_/);
      expect(log).toMatch(/^API key {5}was shown at the first start, and is in \/data\/sandbox\/demo\.json$/m);
      const statuses: string[] = [];
      for (const operationId of new Set(accepted.map((each) => each.operationId))) {
        statuses.push((await client.waitForOperation(operationId, { timeoutMs: 600_000 })).status);
      }
      const shown = await fetch(`http://127.0.0.1:${portBase + 600}/_sandbox/records?account=demo&object=contacts`);
      const names = ((await shown.json()) as { properties: { lastname: string } }[]).map(
        (each) => each.properties.lastname,
      );
      const lost = accepted.filter(({ marker }) => !names.includes(marker));
      const doubled = names.filter((name, at) => name.startsWith('one-') && names.indexOf(name) !== at);
      process.stdout.write(
        `one container, killed: accepted ${accepted.length}, lost ${lost.length}, doubled ${doubled.length}, ready again after ${running.readyMs} ms\n`,
      );
      expect({ lost, doubled, failed: statuses.filter((status) => status !== 'success') }).toEqual({
        lost: [],
        doubled: [],
        failed: [],
      });
    },
    testMs,
  );

  it(
    'ends in order when it is asked to stop',
    () => {
      const { exitCode, tookMs } = stopContainer(running.name);
      process.stdout.write(`one container: stopped in ${tookMs} ms\n`);
      expect([exitCode, logsOf(running.name)]).toEqual([0, expect.stringContaining('stopping')]);
    },
    testMs,
  );

  it(
    'does not start on a volume that a newer version has used',
    () => {
      const newer = JSON.stringify({ version: '9.0.0', migration: '20991231T000000-of-the-future' });
      const write = `echo '${newer}' > /data/sandbox/version.json`;
      const within = ['--entrypoint', 'sh', '--volume', `${volume}:/data`];
      engine('run', '--rm', ...within, imageOf('sluice'), '-c', write);
      const said = expect.stringMatching(
        /^The data in \/data\/sandbox was used by Sluice 9\.0\.0, which is newer .+\nRun the image of 9\.0\.0 /m,
      );
      expect(refused('--volume', `${volume}:/data`)).toEqual([1, said]);
    },
    testMs,
  );
});
