import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { findProgram, isRunning, repositoryRoot, waitUntil, type ProcessIdentity } from '@sluice/stack';
import { keepTraces, traceFileOf } from '../src/observe/keep-traces';
import { startPrometheus } from '../src/observe/prometheus';

const path = [join(repositoryRoot, '.sluice/tools'), readProcessEnv()['PATH']].join(delimiter);
const program = findProgram('prometheus', { PATH: path });
if (program === undefined)
  process.stderr.write(
    'SKIPPED: npm start -- --observe with a Prometheus, which is not here (npm run metrics:tools)\n',
  );

const portBase = 18_950;
const folder = mkdtempSync(join(tmpdir(), 'sluice-observe-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function prometheusWith(more: object = {}) {
  const lines: string[] = [];
  const options = { env: readProcessEnv(), folder, portBase, log: (line: string) => void lines.push(line), path };
  return { lines, end: await startPrometheus({ ...options, ...more }) };
}

const withPrometheus = program === undefined ? it.skip : it;
withPrometheus(
  'Prometheus asks the metrics port of each service and knows our alerts, and is gone afterwards',
  async () => {
    const { lines, end } = await prometheusWith();
    const ask = async (what: string) =>
      ((await (await fetch(`http://127.0.0.1:${portBase + 900}/api/v1/${what}`)).json()) as { data: never }).data;
    expect(lines[0]).toContain(`http://127.0.0.1:${portBase + 900}/alerts`);
    const scraped = async () =>
      ((await ask('targets')) as { activeTargets: { scrapeUrl: string }[] }).activeTargets.map(
        ({ scrapeUrl }) => scrapeUrl,
      );
    await waitUntil(async () => (await scraped()).length > 0, { withinMs: 60_000 });
    const urls = [110, 210, 310, 410, 510].map((distance) => `http://127.0.0.1:${portBase + distance}/metrics`);
    expect((await scraped()).toSorted()).toEqual(urls.toSorted());
    const { groups } = (await ask('rules')) as { groups: { rules: { name: string }[] }[] };
    const known = groups.flatMap(({ rules }) => rules.map(({ name }) => name));
    const ours = [
      ...readFileSync(join(repositoryRoot, 'helm/sluice/files/alerts.yaml'), 'utf8').matchAll(/- alert: (\w+)/g),
    ];
    expect(ours.length).toBeGreaterThan(3);
    expect(known).toEqual(expect.arrayContaining(ours.map(([, name]) => name)));
    const { prometheus } = JSON.parse(readFileSync(join(folder, 'processes.json'), 'utf8')) as Record<
      string,
      ProcessIdentity
    >;
    expect(prometheus && isRunning(prometheus)).toBe(true);
    await end();
    expect(prometheus && isRunning(prometheus)).toBe(false);
  },
  120_000,
);

it('says how to get what is not installed, and goes on', async () => {
  const { lines, end } = await prometheusWith({ path: '' });
  expect(lines[0]).toMatch(/^Prometheus: not installed\. npm run metrics:tools/);
  const compose = lines.find((line) => line.includes('docker compose')) ?? '';
  const files = [...compose.matchAll(/-f (\S+)/g)].map(([, name = '']) => name);
  expect(files).toEqual(['compose.yaml', 'observe.yaml']);
  for (const name of files) expect(existsSync(join(repositoryRoot, 'deploy/compose', name))).toBe(true);
  await end();
});

describe('traces', () => {
  const lines: string[] = [];
  const common = { dataDir: folder, portBase, log: (line: string) => void lines.push(line) };

  it('are a line of a private file for each export; what is none is refused', async () => {
    const kept = await keepTraces({ ...common, env: {} });
    expect(kept?.env).toEqual({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${portBase + 920}`,
      OTEL_TRACES_SAMPLER_ARG: '1',
    });
    const send = async (where: string, body: string) =>
      (await fetch(`${kept?.env['OTEL_EXPORTER_OTLP_ENDPOINT']}${where}`, { method: 'POST', body })).status;
    expect(await send('/v1/traces', '{\n  "resourceSpans": []\n}')).toBe(200);
    expect(await send('/v1/traces', 'no JSON')).toBe(400);
    expect(await send('/v1/metrics', '{}')).toBe(400);
    expect(await send('/v1/traces', '{}')).toBe(200);
    await kept?.close();
    expect(readFileSync(traceFileOf(folder), 'utf8')).toBe('{"resourceSpans":[]}\n{}\n');
    expect(statSync(traceFileOf(folder)).mode & 0o777).toBe(0o600);
  });

  it("go to the environment's collector where it names one", async () => {
    const kept = await keepTraces({ ...common, env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' } });
    expect(kept).toBeUndefined();
    expect(lines).toEqual(['Traces: sent to http://collector:4318, as the environment says.']);
  });
});
