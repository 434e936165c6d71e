import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDeclarations } from '@sluice/connectors';
import { startStack, type OwnStack } from '../harness/stack';
import { callTimeoutMs, drive, type Driven } from './declared-promises/drive';
import { openGround } from './declared-promises/ground';
import { renderDeclared } from './declared-promises/render';
import { losses, rowsOf, type Ending, type Loss, type PromiseRow } from './declared-promises/rows';
import { idleConnectors } from './promises/idle-connectors';

const files = loadDeclarations();

interface Scenario {
  readonly name: string;
  readonly row: PromiseRow;
  readonly loss: Loss;
  readonly ending: Ending;
}

const scenarios = files.flatMap(rowsOf).flatMap((row): Scenario[] =>
  losses.flatMap((loss) => {
    const { object, kind, endings } = row;
    const ending = endings[loss];
    return ending === undefined
      ? []
      : [{ name: `${object.file.name}, ${object.name}: ${kind}; ${loss}`, row, loss, ending }];
  }),
);

let stack: OwnStack;
const driven = new Map<string, Promise<Driven>>();
/** What waits longest begins first: a wait of the file's own, then what must not be settled before a window is over. */
const order = ({ row: { kind }, loss }: Scenario): number => {
  if (loss === '429, no wait') return 0;
  return kind === 'create' || kind === 'collected' ? 1 : 2;
};

beforeAll(async () => {
  stack = await startStack({ declared: 'sandbox', env: { SLUICE_CALL_TIMEOUT_MS: String(callTimeoutMs) } });
  const ground = await openGround(stack, files);
  // Most of a scenario is waiting, so all wait together.
  for (const { name, row, loss } of scenarios.toSorted((one, other) => order(one) - order(other))) {
    driven.set(name, drive(ground, row, loss));
  }
  for (const each of driven.values()) each.catch(() => undefined);
});
afterAll(() => stack.stop());

/** What the row says, in the form of what is driven. */
function promised({ row: { kind }, ending: { outcome, kept = 0, sends, reply } }: Scenario): Driven {
  // Of three creates under one auto-batch one meets the loss.
  const others = kind === 'collected' ? 2 : 0;
  const isHeldBack = reply?.status === 429;
  return {
    outcomes: [outcome, ...Array.from({ length: others }, () => 'succeeded')].toSorted(),
    isSaid: outcome === 'unknown',
    kept: kept + others,
    sends: sends + others,
    ...(reply && { reply }),
    ...(isHeldBack && { hasWait: true }),
    ...(reply?.isRetryable === true && { repeat: isHeldBack ? 'held back' : 'succeeded' }),
  };
}

// The real gateway, search, batcher and executor: what the guide says of a provider that is a file is what happens.
it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (name, scenario) => {
  expect(await driven.get(name)).toEqual(promised(scenario));
});

describe('the guide', () => {
  const guide = readFileSync(join(__dirname, '../../docs/guides/promises.md'), 'utf8');

  it('holds the rows that come out of the files, each driven here', () => {
    const [, tables] = /<!-- tables of files -->\n([\s\S]*)<!-- end of tables of files -->/.exec(guide) ?? [];
    expect(tables?.trim()).toBe(renderDeclared(files));
  });

  describe('windows and keys are those of the connectors', () => {
    const connectors = idleConnectors();

    it.each(files.map((file) => [file.name, file] as const))('%s', (name, file) => {
      const { capabilities, findCreated, visibilityMs } = connectors().get(name);
      const rows = rowsOf(file);
      const [leaseMs, usualTimeoutMs] = [6_000, 30_000];
      for (const { object, windowSeconds } of rows.filter(({ kind }) => kind === 'create')) {
        const visible = visibilityMs(object.objectName, object.sample.record('x'));
        const windowMs = leaseMs + Math.max(usualTimeoutMs, capabilities.lateCommitMs) + visible;
        expect([object.name, windowSeconds]).toEqual([object.name, windowMs / 1_000]);
      }
      expect(findCreated !== undefined).toBe(rows.some(({ object }) => object.unique !== undefined));
      expect(rows.some(({ kind }) => kind === 'search')).toBe(capabilities.search !== false);
      expect([capabilities.batchCreate, capabilities.batchUpdate, capabilities.delete]).toEqual([false, false, false]);
    });
  });
});
