import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedStack } from '../harness/shared-stack';
import { batchSize, drive, type Driven } from './promises/drive';
import { idleConnectors } from './promises/idle-connectors';
import { renderTables } from './promises/render';
import { objects, rows, type Ending, type Form, type Loss, type PromiseRow } from './promises/rows';

interface Scenario {
  readonly name: string;
  readonly row: PromiseRow;
  readonly form: Form;
  readonly loss: Loss;
  readonly ending: Ending;
}

const scenarios = rows
  .filter(({ object }) => object.isImitated)
  .flatMap((row) => {
    const { object, type, mode, forms, endings } = row;
    const cases = (Object.entries(endings) as [Loss, Ending][]).flatMap((each) =>
      forms.map((form) => [form, ...each] as const),
    );
    return cases.map(([form, loss, ending]): Scenario => {
      const name = `${object.provider}, ${object.name}: ${form} ${type}, ${mode}; ${loss}`;
      return { name, row, form, loss, ending };
    });
  });

const stack = sharedStack();
const driven = new Map<string, Promise<Driven>>();
/** Creates wait out a window, so they begin first and run together. Not all at once: two cores make the calls of them all. */
const atOnce = 60;
const waitsFirst = ({ row }: Scenario): number => (row.windowSeconds === undefined ? 1 : 0);

beforeAll(async () => {
  const left = scenarios.toSorted((one, other) => waitsFirst(one) - waitsFirst(other));
  const started = new Map(scenarios.map(({ name }) => [name, Promise.withResolvers<Driven>()]));
  for (const [name, { promise }] of started) {
    promise.catch(() => undefined);
    driven.set(name, promise);
  }
  for (let n = 0; n < atOnce; n += 1) {
    void (async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const { name, row, form, loss } = next;
        await drive(stack, row, form, loss).then(started.get(name)?.resolve, started.get(name)?.reject);
      }
    })();
  }
});

/** What the row says, in the form of what is driven. */
function promised({ row: { object, type, mode }, form, ending: { outcome, kept, sends } }: Scenario): Driven {
  const count = form === 'batch' ? batchSize : 1;
  // Salesforce answers a repeated delete with an error, HubSpot as it answered the first.
  const isRefused = type === 'delete' && object.provider === 'salesforce' && kept === 0;
  const repeat = { status: isRefused ? 422 : 200, kept: type === 'delete' ? 0 : count };
  return {
    outcomes: Array.from({ length: count }, () => outcome),
    isSaid: outcome === 'unknown',
    kept: kept * count,
    sends,
    ...(mode === 'synchronous' && { reply: { status: 502, isRetryable: type !== 'create' } }),
    ...(mode === 'synchronous' && type !== 'create' && { repeat }),
  };
}

// The real gateway, batcher and executor, with the reply of the first send lost: what the guide says is what happens.
it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (name, scenario) => {
  expect(await driven.get(name)).toEqual(promised(scenario));
});

describe('the guide', () => {
  const guide = readFileSync(join(__dirname, '../../docs/guides/promises.md'), 'utf8');

  it('holds the rows that are driven here', () => {
    const [, tables] = /<!-- tables -->\n([\s\S]*)<!-- end of tables -->/.exec(guide) ?? [];
    expect(tables?.trim()).toBe(renderTables());
  });

  describe('windows and keys are those of the connectors', () => {
    const connectors = idleConnectors();

    it.each(objects.map((object) => [`${object.provider}, ${object.name}`, object] as const))('%s', (_, object) => {
      const connector = connectors().get(object.provider);
      const record = object.record('x');
      const visibilityMs = connector.visibilityMs(object.objectName, record);
      expect(visibilityMs === 0).toBe(object.isKeyKnown ?? object.isConsistent);
      const [leaseMs, callTimeoutMs] = [6_000, 30_000];
      const windowMs = leaseMs + Math.max(callTimeoutMs, connector.capabilities.lateCommitMs) + visibilityMs;
      const own = rows.filter((row) => row.object === object).flatMap(({ windowSeconds }) => windowSeconds ?? []);
      expect(own).toEqual([windowMs / 1_000]);
    });
  });
});
