import { newId } from '@sluice/store';
import { fillBacklog } from '@sluice/testkit';
import { createWriteFixture, type WriteFixture } from './write-fixture';

let fixture: WriteFixture;
beforeEach(async () => {
  fixture = await createWriteFixture();
});
afterEach(() => fixture.close());

const count = async (max: number, projectId = fixture.seeded.projectId) =>
  (await fixture.store.writes.countBacklog([projectId], max)).get(projectId);
const ordered = () => fixture.asynchronous({ type: 'update', records: [{ recordId: '1' }] });

describe('the backlog of a project', () => {
  it('is its waiting calls and the records of its open batches, and nothing of anybody else', async () => {
    const { writes } = fixture.store;
    await writes.accept([fixture.asynchronous({ records: Array.from({ length: 30 }, () => ({})) })]);
    await writes.accept([ordered()]);
    await writes.join(Array.from({ length: 7 }, () => fixture.batchable()));
    expect(await count(100)).toBe(9);
    expect(await count(100, newId())).toBe(0);
    expect(await fixture.store.writes.countBacklog([], 100)).toEqual(new Map());
  });

  it('holds what waits behind another write and what no batch takes records for any more, not what runs or ended', async () => {
    const { writes } = fixture.store;
    await writes.accept([ordered()]);
    await writes.accept([ordered()]);
    await writes.accept([fixture.asynchronous()]);
    await writes.join(Array.from({ length: 100 }, () => fixture.batchable()));
    expect(await count(1_000)).toBe(103);
    const claimed = await fixture.claim({ limit: 10 });
    expect(claimed).toHaveLength(2);
    expect(await count(1_000)).toBe(101);
    for (const call of claimed) await fixture.settleAll(call);
    expect(await count(1_000)).toBe(101);
  });

  it('is counted no further than asked', async () => {
    await fillBacklog(fixture.url, fixture.seeded, { calls: 3_000, lanes: 3 });
    expect(await count(1_000_000)).toBe(3_000);
    expect(await count(2_000)).toBe(2_000);
  });
});
