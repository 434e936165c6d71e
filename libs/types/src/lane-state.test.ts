import type { Lane } from './lane';
import { isOutage, laneStateOf } from './lane-state';

const now = Date.parse('2026-11-26T12:00:00.000Z');
const ago = (seconds: number) => new Date(now - seconds * 1_000).toISOString();
const lane: Lane = {
  id: '1',
  projectId: '2',
  provider: 'hubspot',
  groupRefs: ['acme'],
  quota: { limit: 110, windowSeconds: 10, left: 110 },
  calls: { running: 0, ready: 1, retrying: 0, inDoubt: 0, waiting: 0 },
  createTime: '2026-11-22T08:00:00Z',
};
const held = [
  { connectionId: '3', provider: 'hubspot', groupRef: 'acme', authScheme: 'apiKey', since: ago(5) },
] as const;
const failed = { class: 'unavailable', status: 503, time: ago(1) } as const;

// A lane that a reader takes for well must be well: "open" is what is left when nothing else is true.
describe('laneStateOf', () => {
  it.each([
    ['open', 'nothing is known against it', {}],
    ['open', 'a call waits for less than a minute', { readySince: ago(59) }],
    ['stalled', 'a call waits for a minute', { readySince: ago(60) }],
    ['open', 'a call runs at this moment', { readySince: ago(600), calls: { ...lane.calls, running: 1 } }],
    ['open', 'calls were sent within the window', { readySince: ago(600), quota: { ...lane.quota!, left: 12 } }],
    ['stalled', 'what was sent is not known', { readySince: ago(600), quota: { limit: 110, windowSeconds: 10 } }],
    ['held', 'a connection waits for credentials', { held }],
    ['stalled', 'the others wait, too, for no reason', { held, readySince: ago(600) }],
    ['failing', 'the provider does not answer', { lastFailure: failed, callsAtOnceMax: 1, readySince: ago(600) }],
    ['recovering', 'few calls at once', { callsAtOnceMax: 1 }],
    ['open', 'a record was refused', { lastFailure: { ...failed, class: 'rejected' } }],
    ['blocked', 'a refusal', { blockedUntil: ago(-5), held, lastFailure: failed, callsAtOnceMax: 1 }],
  ] as const)('%s: %s', (state, _why, more) => {
    expect(laneStateOf({ ...lane, ...more }, now)).toBe(state);
  });
});

it.each([
  ['unavailable', true],
  ['timeout', true],
  ['unknown', true],
  ['quota', false],
  ['rejected', false],
  ['credentials', false],
] as const)('%s: an outage is %s', (failure, is) => {
  expect(isOutage({ class: failure, time: ago(1) })).toBe(is);
  expect(isOutage(undefined)).toBe(false);
});
