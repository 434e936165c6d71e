import { ProviderError } from '@sluice/errors';
import { batch, error, missing, readOf, recordOf } from '../../test/hubspot-replies';
import type { ProviderStub, StubRequest } from '../../test/provider-stub';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector } from '../connector';
import { allRead, type ProviderRecord } from '../results';

const contacts = { auth: { accessToken: 'pat-na1-11111111-2222' }, objectName: 'contacts' };

let stub: ProviderStub;
let hubspot: Required<Connector>;
useStubbedConnectors((opened) => ({ stub, hubspot } = opened));

const [ada, bob] = [recordOf('171596044869', { firstname: 'Ada' }), recordOf('171596044870', { firstname: 'Bob' })];
const bobRecord = readOf(bob);

// Absence is what a write is decided on: an `ifEmpty` field of a record that is not there is sent.
test.each<[string, object]>([
  ['{}', {}],
  ['no list', { status: 'COMPLETE' }],
  ['an empty list', batch([])],
  ['an error that names nobody', batch([], [error('INTERNAL_ERROR', 'There was a problem')])],
  ['an id that nobody asked for', batch([], [missing('3')])],
])('%s accounts for nobody, so it is no answer', async (_, body) => {
  stub.replyWith({ status: 200, body });
  await expect(hubspot.readBatch({ ...contacts, ids: ['1', '2'], fields: [] })).rejects.toMatchObject({
    class: 'unavailable',
  });
});

describe('a batch read that accounts for a part of the records: the others go on', () => {
  const refusal = (class_: string, detail: unknown = expect.any(String)) =>
    expect.objectContaining({ class: class_, detail });
  const invalid = (rest: object = {}) => error('VALIDATION_ERROR', 'the id is not valid', rest);

  test.each<[string, object, unknown]>([
    [
      'refused, and named',
      batch([bob], [invalid({ context: { ids: ['x'] } })]),
      refusal('rejected', 'the id is not valid'),
    ],
    ['refused, and nobody else can be meant', batch([bob], [invalid()]), refusal('rejected', 'the id is not valid')],
    ['absent, and nobody else can be meant', batch([bob], [missing()]), undefined],
    [
      'in trouble',
      batch([bob], [error('INTERNAL_ERROR', 'later', { context: { ids: ['x'] } })]),
      refusal('unavailable'),
    ],
    ['left out', batch([bob]), refusal('unavailable')],
    ['left out of what is not complete', { ...batch([bob]), status: 'PROCESSING' }, refusal('unavailable')],
  ])('%s', async (_, body, expected) => {
    stub.replyWith({ status: 207, body });
    expect(await hubspot.readBatch({ ...contacts, ids: [bob.id, 'x'], fields: [] })).toEqual([bobRecord, expected]);
    expect(stub.requests).toHaveLength(1);
  });

  test('a refusal that names nobody, of several: each is asked alone', async () => {
    stub.replyWith(
      { status: 207, body: batch([bob], [invalid()]) },
      { status: 207, body: batch([], [invalid()]) },
      { status: 200, body: batch([ada]) },
    );
    const read = await hubspot.readBatch({ ...contacts, ids: ['x', ada.id, bob.id], fields: [] });
    expect(read).toEqual([refusal('rejected'), expect.objectContaining({ id: ada.id }), bobRecord]);
  });
});

describe('a refusal that names nobody, of many', () => {
  const invalid = error('VALIDATION_ERROR', 'the id is not valid');
  const idsOf = (count: number) => Array.from({ length: count }, (_, at) => String(1_000 + at));
  const inputsOf = ({ body }: StubRequest) =>
    (body as { readonly inputs: readonly { readonly id: string }[] }).inputs.map(({ id }) => id);
  /** Reads none of a batch that has one of these in it, as HubSpot may. */
  const refuse = (bad: readonly string[]) => {
    stub.replyWith((response) => {
      const ids = stub.requests.slice(-1).flatMap(inputsOf);
      const isRefused = ids.some((id) => bad.includes(id));
      const body = isRefused ? batch([], [invalid]) : batch(ids.map((id) => recordOf(id, { firstname: 'Ada' })));
      response.writeHead(isRefused ? 207 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  };

  // Read one by one, ten of an attempt, a synchronous batch of more would never be answered.
  test('what is left is halved: each of a hundred has its answer, and the bad one alone is refused', async () => {
    const ids = idsOf(100);
    refuse(['1063']);
    const read = await hubspot.readBatch({ ...contacts, ids, fields: [] });
    const failed = ids.filter((_, at) => read[at] instanceof ProviderError);
    expect(failed).toEqual(['1063']);
    expect(read[63]).toMatchObject({ class: 'rejected' });
    expect(read.every((each, at) => at === 63 || (each as ProviderRecord).id === ids[at])).toBe(true);
    expect(stub.requests.length).toBeLessThanOrEqual(15);
  });

  test('where most are bad the requests of one read end, and the rest is read by the next attempt', async () => {
    const ids = idsOf(100);
    refuse(ids);
    const read = await hubspot.readBatch({ ...contacts, ids, fields: [] });
    expect(stub.requests).toHaveLength(51);
    const classes = new Set(read.map((each) => (each as ProviderError).class));
    expect(classes).toEqual(new Set(['rejected', 'unavailable']));
  });

  test('each request beyond the first asks for quota', async () => {
    refuse(['1000']);
    let asked = 0;
    const withhold = () => Promise.resolve(((asked += 1), undefined));
    await hubspot.readBatch({ ...contacts, ids: idsOf(8), fields: [], withhold });
    expect(asked).toBe(stub.requests.length);
  });
});

test('errors of two kinds that name nobody are no answer for the one that is left', async () => {
  const both = [missing(), error('INTERNAL_ERROR', 'later')];
  stub.replyWith({ status: 207, body: batch([bob], both) }, { status: 207, body: batch([], both) });
  const read = await hubspot.readBatch({ ...contacts, ids: ['x', bob.id], fields: [] });
  expect(read).toEqual([expect.objectContaining({ class: 'unavailable' }), bobRecord]);
});

test('a merged record answers under another id: asked again alone', async () => {
  const ids = ['8', '9', bob.id];
  stub.replyWith({ status: 207, body: batch([ada, bob], [missing('9')]) }, { status: 200, body: batch([ada]) });
  const records = await hubspot.readBatch({ ...contacts, ids: [...ids, bob.id], fields: [] });
  expect(allRead(records).map((record) => record?.id)).toEqual([ada.id, undefined, bob.id, bob.id]);
  expect(stub.requests.map(({ body }) => (body as { inputs: unknown }).inputs)).toEqual([
    ids.map((id) => ({ id })),
    [{ id: '8' }],
  ]);
});
