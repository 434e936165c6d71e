import { rateOf, recordsOf } from './overview-records';

const services = ['write-gateway', 'executor'].map((service) => ({
  service,
  versions: [],
  processes: 1,
  lastTime: '',
}));
const records = { accepted: 100, written: 60, failed: 5, unknown: 1 };
const open = { waiting: 20, filling: 10, held: 4, isMore: false };

it.each([
  ['all of it', {}, {}, { earlier: 0, uncounted: 0 }],
  ['records of before', { written: 90 }, {}, { earlier: 30, uncounted: 0 }],
  [
    'nothing accepted, and what was held before',
    { accepted: 0, written: 0, failed: 0, unknown: 0 },
    {},
    { earlier: 34 },
  ],
  ['a process that died before it stored what it wrote', { written: 40 }, {}, { earlier: 0, uncounted: 20 }],
  ['a record that is accepted and not yet stored as accepted', {}, { waiting: 21 }, { earlier: 1, uncounted: 0 }],
])('adds up: %s', (_of, counted, now, left) => {
  const {
    accepted = 0,
    earlier = 0,
    uncounted = 0,
    ...of
  } = recordsOf({ services, records: { ...records, ...counted } }, { ...open, ...now });
  expect({ earlier, uncounted }).toMatchObject(left);
  const { written = 0, failed = 0, unknown = 0, waiting, filling, held } = of;
  expect(accepted + earlier).toBe(written + failed + unknown + waiting + filling + held + uncounted);
});

it('claims no sum when more is open than was read', () => {
  const shown = recordsOf({ services, records }, { ...open, isMore: true });
  expect(shown).toEqual({ ...records, ...open, isMore: true });
});

it('what nobody could have counted is not 0, and then there is no sum', () => {
  const nothing = { accepted: 0, written: 0, failed: 0, unknown: 0 };
  expect(recordsOf({ services: [], records: nothing }, open)).toEqual(open);
  const batcher = [{ service: 'batcher', versions: [], processes: 1, lastTime: '' }];
  expect(recordsOf({ services: batcher, records: { ...nothing, accepted: 3 } }, open)).toEqual({
    accepted: 3,
    ...open,
  });
});

it('a rate is of what ended; of nothing there is none', () => {
  expect(rateOf('successRate', records)).toEqual({ successRate: 60 / 66 });
  expect(rateOf('successRate', { accepted: 9, written: 0, failed: 0, unknown: 0 })).toEqual({});
});
