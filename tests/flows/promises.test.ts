import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConnectorRegistry, createConnectors, loadDeclarations } from '@sluice/connectors';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { type OwnStack, startStack } from '../harness/stack';
import { actions, batchSize, callTimeoutMs, drive, type Driven, type Scenario } from './promises/drive';
import { createFixture, type Fixture } from './promises/fixture';
import { objects } from './promises/objects';
import { renderTables } from './promises/render';
import { type Ending, type Loss, rows } from './promises/rows';

interface Case extends Scenario {
  readonly name: string;
  readonly loss: Loss;
  readonly ending: Ending;
}

const cases = rows.flatMap(({ object, kind, forms, endings }) => {
  const all = Object.entries(endings) as [Loss, Ending][];
  const tried = object.isTriedWhole === false ? all.slice(0, 1) : all;
  return tried.flatMap(([loss, ending]) =>
    forms.map((form): Case => {
      const name = `${object.provider}, ${object.name}: ${form} ${kind}; ${loss}`;
      return { name, object, kind, form, action: actions[loss], loss, ending };
    }),
  );
});

let stack: OwnStack;
let fixture: Fixture;
const driven = new Map(cases.map(({ name }) => [name, Promise.withResolvers<Driven>()]));
/** What waits longest begins first: a wait of the file's own, then what must not be settled before a window is over. */
const order = ({ kind, loss }: Case): number => {
  if (loss === '429 without') return 0;
  return kind === 'create' || kind === 'collected' ? 1 : 2;
};
/** Most of a scenario is waiting, so many wait together; not all, because two cores make the calls of them all. */
const atOnce = 120;

beforeAll(async () => {
  stack = await startStack({ declared: 'sandbox', env: { SLUICE_CALL_TIMEOUT_MS: String(callTimeoutMs) } });
  fixture = await createFixture(stack);
  const left = cases.toSorted((one, other) => order(one) - order(other));
  for (const { promise } of driven.values()) promise.catch(() => undefined);
  for (let n = 0; n < atOnce; n += 1) {
    void (async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const { resolve, reject } = driven.get(next.name) ?? {};
        await drive(fixture, next).then(resolve, reject);
      }
    })();
  }
});
afterAll(() => stack.stop());

/** What the row says, in the form of what is driven. */
function promised({ kind, form, ending }: Case): Driven {
  const { outcome, kept = 0, sends, reply, isRepeatNotFound } = ending;
  const count = form === 'batch' ? batchSize : 1;
  // Of the creates under one auto-batch one meets the loss.
  const others = kind === 'collected' ? batchSize - 1 : 0;
  const isHeldBack = reply?.status === 429;
  const repeat = isHeldBack ? 'held back' : isRepeatNotFound ? 'not found' : 'succeeded';
  const outcomes = [
    ...Array.from({ length: count }, () => outcome),
    ...Array.from({ length: others }, () => 'succeeded'),
  ];
  return {
    outcomes: outcomes.toSorted(),
    isSaid: outcome === 'unknown',
    kept: kept * count + others,
    sends: sends + others,
    ...(reply && { reply }),
    ...(isHeldBack && { hasWait: true }),
    ...(reply?.isRetryable === true && { repeat }),
  };
}

// The real gateway, search, batcher and executor, with the first call lost: what the guide says is what happens.
it.each(cases.map((one) => [one.name, one] as const))('%s', async (name, one) => {
  expect(await driven.get(name)?.promise).toEqual(promised(one));
});

describe('the guide', () => {
  it('holds the rows that are driven here', () => {
    const guide = readFileSync(join(__dirname, '../../docs/guides/promises.md'), 'utf8');
    const [, tables] = /<!-- tables -->\n([\s\S]*)<!-- end of tables -->/.exec(guide) ?? [];
    expect(tables?.trim()).toBe(renderTables());
  });

  describe('windows, keys and capabilities are those of the connectors', () => {
    let connectors: ConnectorRegistry;
    beforeAll(() => {
      const urls = { hubspot: 'http://127.0.0.1:1', salesforceLogin: 'http://127.0.0.1:1' };
      const metrics = createMetrics('tests');
      connectors = createConnectors({ urls, callTimeoutMs: 30_000, logger: silentLogger, metrics });
    });
    afterAll(() => connectors.close());

    it.each(objects.map((object) => [`${object.provider}, ${object.name}`, object] as const))('%s', (_, object) => {
      const { capabilities, visibilityMs } = connectors.get(object.provider);
      const visibleMs = visibilityMs(object.objectName, object.record('x'));
      const [leaseMs, usualTimeoutMs] = [6_000, 30_000];
      const windowMs = leaseMs + Math.max(usualTimeoutMs, capabilities.lateCommitMs) + visibleMs;
      expect(object.windowSeconds).toBe(windowMs / 1_000);
      // A unique property of an account is known once the account was asked.
      const isLagging = object.lookup === 'lagging' || object.name === 'any, with a unique property';
      expect(visibleMs > 0).toBe(isLagging);
    });

    it.each(loadDeclarations().map(({ name }) => name))('%s', (name) => {
      const { capabilities, findCreated } = connectors.get(name);
      const own = rows.filter(({ object }) => object.provider === name);
      expect(findCreated !== undefined).toBe(own.some(({ object }) => object.lookup === 'consistent'));
      expect(own.some(({ kind }) => kind === 'search')).toBe(capabilities.search !== false);
      expect([capabilities.batchCreate, capabilities.batchUpdate, capabilities.delete]).toEqual([false, false, false]);
    });
  });
});
