import { hubspotRefusal, until } from '@sluice/testkit';
import { useFixture, type Seed } from './_executor';
import type { HubspotCall } from './_fake-hubspot';
import { hold } from './_hold';

const fixture = useFixture();
let seed: Seed;
beforeEach(async () => {
  seed = await fixture.seed();
});

const accept = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => fixture.accept(seed, [{ email: `r${n}@x.com` }])));
const capOf = async () =>
  (await fixture.database('lanes').where({ id: seed.laneId }).first('cap'))?.cap as number | null;
const allEnd = async (ids: readonly string[]) => {
  for (const id of ids) expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
};

/** Lets calls through and notes how many were open at the account when each came. */
function countOpen(pauseMs: number) {
  const opened: number[] = [];
  let open = 0;
  fixture.hubspot.behave = async (_call, apply) => {
    opened.push((open += 1));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    open -= 1;
    return apply();
  };
  return opened;
}

describe('an account that was blocked', () => {
  // At most one probe per Retry-After, whatever waits.
  it('gets one call per Retry-After, then by one, two and four at once', async () => {
    const refused: HubspotCall[] = [];
    fixture.hubspot.behave = (call) => {
      refused.push(call);
      return hubspotRefusal(429, {}, { 'Retry-After': '1' });
    };
    const ids = await accept(16);
    await fixture.startExecutor();
    await until('probes', () => (refused.length >= 7 ? true : undefined));
    const opened = countOpen(50);
    await allEnd(ids);
    // Up to four were under way when the first refusal came.
    const later = refused.slice(4).map(({ atMs }) => atMs);
    const gaps = later.slice(1).map((atMs, at) => atMs - (later[at] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    expect(opened[0]).toBe(1);
    expect(Math.max(...opened.slice(0, 3))).toBeLessThanOrEqual(2);
    expect(Math.max(...opened)).toBeLessThanOrEqual(4);
    expect(await capOf()).toBeNull();
  });
});

describe('an account that takes longer than 5 s', () => {
  it('has one call at a time, until it is fast again', async () => {
    const { held, letGo } = hold();
    let open = 0;
    fixture.hubspot.behave = async (_call, apply) => {
      open += 1;
      await held;
      return apply();
    };
    const ids = await accept(10);
    await fixture.startExecutor();
    await until('the lane is narrowed', async () => ((await capOf()) === 1 ? true : undefined));
    expect(open).toBe(4);
    const opened = countOpen(50);
    letGo();
    await allEnd(ids);
    expect(opened[0]).toBe(1);
    expect(Math.max(...opened.slice(0, 3))).toBeLessThanOrEqual(2);
    expect(await capOf()).toBeNull();
  });

  it('is not one whose call ended in a fault of ours', async () => {
    await fixture.startExecutor({ SLUICE_FAILPOINT: 'ex.after_send_before_reply:throw:1' });
    await accept(1);
    await until('the call', () => fixture.hubspot.calls[0]);
    // Longer than the watch of a call lasts.
    await new Promise((resolve) => setTimeout(resolve, 5_500));
    expect(await capOf()).toBeNull();
  });
});
