import type { Lane } from '@sluice/types';
import { renderLanes } from './lanes';

const lane: Lane = {
  id: '1',
  projectId: '2',
  provider: 'salesforce',
  workspaceRef: 'acme.my.salesforce.com',
  groupRefs: ['acme'],
  quota: { limit: 100_000, windowSeconds: 86_400, left: 98_765 },
  calls: { running: 0, ready: 999, retrying: 1_000, inDoubt: 0, waiting: 2 },
  createTime: '2026-11-22T08:00:00Z',
};
const cellsOf = (of: Lane) => renderLanes([of]).split('\n')[1]?.split(/ {2,}/);

// A day's quota has six digits. The service counts calls up to a thousand: a full count must not read as an exact one.
it('separates thousands, and marks a count that stopped at its limit', () => {
  const cells = ['salesforce', 'acme.my.salesforce.com', 'open', '98,765 of 100,000 in 86,400 s'];
  expect(cellsOf(lane)).toEqual([...cells, '0', '999', '1,000+', '0', '2', 'acme', '-']);
});

it('shows the limit alone where the rest is unknown', () => {
  expect(cellsOf({ ...lane, quota: { limit: 110, windowSeconds: 10 } })?.[3]).toBe('110 in 10 s');
});
