import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { captureDeclared } from '../test/captured-calls';
import { providerInfo } from './connector';
import { loadDeclarations } from './declarative/load-declarations';
import { endedPins, pins, type Pin } from './pins';
import { createConnectors } from './registry';

const root = join(__dirname, '..', '..', '..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const script = join(root, 'deploy', 'release', 'pins.mjs');
const run = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
const othersThanDate = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
] as const;
const day = /^(\d{4}-\d\d-\d\d|unknown)$/;

test.each(pins)('$of, $pin: stands in its file, with days and a source', (pin: Pin) => {
  expect(textOf(pin.in)).toContain(pin.value);
  expect([pin.since, pin.until, pin.readOn].every((each) => day.test(each))).toBe(true);
  expect(pin.readOn).not.toBe('unknown');
  expect(pin.source.length).toBeGreaterThan(10);
});

// A version that nobody entered would end without a word.
test('every version of a provider file and of the paths of HubSpot and Salesforce is in the table', () => {
  const files = [
    ...loadDeclarations().map(({ name }) => `libs/connectors/providers/${name}.yaml`),
    'libs/connectors/src/hubspot/wire.ts',
    'libs/connectors/src/salesforce/wire.ts',
  ];
  for (const file of files) {
    const values = pins.filter((pin) => pin.in === file).map(({ value }) => value);
    const code = textOf(file)
      .split('\n')
      .filter((line) => !/^\s*(\/\/|\/?\*|#|docsUrl|[\w.]+: ['"](documented|recorded|assumed))/.test(line))
      .join('\n');
    for (const [version] of code.matchAll(/\bv\d+(\.\d+)?\b(?=\/|'|$)|\b20\d\d-\d\d(-\d\d)?\b/gm)) {
      expect([file, version, values.some((value) => value.includes(version))]).toEqual([file, version, true]);
    }
  }
});

test('the page is that of the table', () => {
  expect(execFileSync(process.execPath, [script, '--page'], { encoding: 'utf8' })).toBe(
    textOf('docs/providers/pins.md'),
  );
});

describe('npm run pins', () => {
  test.each<[string, string, number, RegExp]>([
    ['when nothing ends soon', '2026-11-29', 0, /^Nothing that is pinned ends within 180 days\./],
    ['long before an end', '2027-04-02', 0, /hubspot, objects: .* ends on 2027-09-01, in 152 days/],
    ['61 days before', '2027-07-02', 0, /in 61 days/],
    ['60 days before', '2027-07-03', 1, /in 60 days/],
    ['past it', '2027-09-02', 1, /ended on 2027-09-01/],
    ['a revision of 21 months', '2028-07-15', 1, /klaviyo, revision: 2026-10-15/],
  ])('%s: %s ends with %i', (_, today, code, says) => {
    const { status, stdout } = run('--today', today);
    expect([status, says.test(stdout)]).toEqual([code, true]);
    const checked = run('--today', today, '--check');
    expect([checked.status, checked.stdout]).toEqual([0, stdout]);
  });
});

test('what has ended by a day stands in the catalogue, for its provider only', () => {
  const klaviyo = loadDeclarations().find(({ name }) => name === 'klaviyo');
  if (klaviyo === undefined) throw new Error('there is no file of klaviyo');
  const { connector } = captureDeclared(klaviyo, () => ({}));
  const at = (today: string) => providerInfo(connector, new Date(today)).endedVersions;
  expect(at('2028-10-14')).toBeUndefined();
  expect(at('2028-10-15')).toEqual(['revision 2026-10-15: ended on 2028-10-15']);
  expect(endedPins(new Date('2026-11-29'))).toEqual([]);
});

test('a start past an end says it once, with its remedy; one before it says nothing', async () => {
  const urls = { hubspot: 'http://127.0.0.1:1', salesforceLogin: 'http://127.0.0.1:1' };
  const warned: object[] = [];
  const logger = { ...silentLogger, warn: (fields: object, event: string) => void warned.push({ ...fields, event }) };
  const startOn = async (today: string) => {
    jest.setSystemTime(new Date(today));
    await createConnectors({ urls, callTimeoutMs: 1_000, logger, metrics: createMetrics('test') }).close();
  };
  jest.useFakeTimers({ doNotFake: [...othersThanDate] });
  try {
    await startOn('2027-08-31');
    expect(warned).toEqual([]);
    await startOn('2027-09-01');
  } finally {
    jest.useRealTimers();
  }
  const ended = pins.filter(({ until }) => until === '2027-09-01');
  expect(ended.length).toBeGreaterThan(0);
  expect(warned).toEqual(
    ended.map(({ of, value }) => ({
      event: 'provider.version-ended',
      provider: of,
      reason: expect.stringMatching(`${value}: ended on 2027-09-01`) as string,
      remedy: expect.stringContaining('docs/providers/pins.md') as string,
    })),
  );
});
