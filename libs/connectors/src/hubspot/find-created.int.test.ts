import type { ProviderStub } from '../../test/provider-stub';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector } from '../connector';
import type { Fields } from '../requests';

const since = new Date('2026-11-20T12:00:00Z');
const contacts = { auth: { accessToken: 'token-12345' }, objectName: 'contacts' };

let stub: ProviderStub;
let hubspot: Required<Connector>;
useStubbedConnectors((opened) => ({ stub, hubspot } = opened));

const record = (id: string, properties: Fields, secondsAfter = 1) => {
  const createdAt = new Date(+since + secondsAfter * 1_000).toISOString();
  return { id, properties: { ...properties, createdate: createdAt }, createdAt };
};
const absent = (...ids: string[]) => ({
  status: 'error',
  category: 'OBJECT_NOT_FOUND',
  message: 'x',
  context: { ids },
});
const find = (...fields: Fields[]) =>
  hubspot.findCreated({ ...contacts, records: fields.map((each) => ({ fields: each, since })) });
const bodies = () =>
  stub.requests.map(({ body }) => body as { inputs?: unknown[]; filterGroups?: { filters: unknown[] }[] });

// Which properties the account keeps unique is asked once a minute, and is no part of what follows.
beforeEach(async () => {
  stub.replyWith({ status: 200, body: { results: [] } });
  await find({ vip: true });
});

describe('contacts with email: one consistent read', () => {
  const email = 'ada@example.com';

  test('found, however HubSpot spells the values', async () => {
    const mine = record('1', { email, firstname: 'Ada', age: '5' });
    stub.replyWith({ status: 207, body: { status: 'COMPLETE', results: [mine], errors: [absent('b@x')] } });
    expect(await find({ email: ' ADA@example.com', firstname: ' Ada', age: 5 }, { email: 'b@x' })).toEqual([
      {
        kind: 'found',
        consistent: true,
        matches: [{ recordId: '1', createdAt: new Date(mine.createdAt), data: mine }],
      },
      { kind: 'none', consistent: true },
    ]);
    expect(stub.requests).toHaveLength(1);
    expect(stub.requests[0]).toMatchObject({
      path: '/crm/v3/objects/contacts/batch/read',
      body: {
        idProperty: 'email',
        inputs: [{ id: email }, { id: 'b@x' }],
        properties: ['createdate', 'hs_merged_object_ids', 'hs_calculated_merged_vids', 'email', 'firstname', 'age'],
      },
    });
  });

  // With our key and made in time, but not equal: a workflow may have changed it. It is no proof of anything.
  test.each<[string, Fields, number, object]>([
    ['a second before the first attempt: clocks differ', { firstname: 'Ada' }, -1, { kind: 'found' }],
    ['long before', { firstname: 'Ada' }, -11, { kind: 'none' }],
    ['long before, of another content', { firstname: 'Eve' }, -11, { kind: 'none' }],
    ['of another content', { firstname: 'Eve' }, 1, { kind: 'none', near: ['1'] }],
    ['without the sent value', { firstname: null }, 1, { kind: 'none', near: ['1'] }],
  ])('a record %s', async (_, properties, secondsAfter, expected) => {
    stub.replyWith({ status: 200, body: { results: [record('1', { email, ...properties }, secondsAfter)] } });
    const [found] = await find({ email, firstname: 'Ada' });
    expect(found).toMatchObject({ ...expected, consistent: true });
    expect(found && 'near' in found).toBe('near' in expected);
  });

  test('of another record that has it as its second email', async () => {
    stub.replyWith({ status: 200, body: { results: [record('1', { email: 'first@x' })] } });
    expect(await find({ email })).toEqual([{ kind: 'none', consistent: true }]);
  });

  // Ours may have been merged into it, and its email has become a second one. A resend would meet a conflict that is our own.
  test.each<[string, Fields, number]>([
    ['under another email', { email: 'first@x', hs_merged_object_ids: '77' }, -86_400],
    ['under the same', { email, hs_calculated_merged_vids: '1:1;77:2' }, -86_400],
  ])('merged with others, %s: it may be ours', async (_, properties, secondsAfter) => {
    stub.replyWith({ status: 200, body: { results: [record('1', properties, secondsAfter)] } });
    expect(await find({ email })).toEqual([{ kind: 'none', consistent: true, near: ['1'] }]);
  });

  test.each(['createdate', 'hs_createdate'])('a create that sends %s is not bounded by it', async (moment) => {
    const mine = record('1', { email, firstname: 'Ada' }, -86_400);
    stub.replyWith({ status: 200, body: { results: [mine], total: 1 } });
    expect(await find({ email, [moment]: mine.createdAt })).toMatchObject([{ kind: 'none', near: ['1'] }]);
    const [found] = await find({ firstname: 'Ada', [moment]: mine.createdAt });
    expect(found).toMatchObject({ kind: 'none', consistent: false, near: ['1'] });
    expect(JSON.stringify(bodies().at(-1)?.filterGroups)).not.toContain('GTE');
  });

  test('more than 100: in several calls', async () => {
    const emails = Array.from({ length: 150 }, (_, index) => `${index}@x`);
    stub.replyWith({ status: 207, body: { results: [], errors: [absent(...emails)] } });
    const found = await find(...emails.map((each) => ({ email: each })));
    expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(['none']));
    expect(bodies().map(({ inputs }) => inputs?.length)).toEqual([100, 50]);
  });

  test('a failed lookup proves nothing and can be repeated', async () => {
    stub.replyWith({ status: 429, body: { message: 'no', policyName: 'DAILY' } });
    expect(await find({ email })).toEqual([
      {
        kind: 'cannot-look-up',
        consistent: true,
        reason: 'no',
        failure: { class: 'quota', message: 'no', status: 429, retryAfterMs: 900_000, scope: 'lane' },
      },
    ]);
    stub.replyWith({ status: 207, body: { results: [], errors: [{ category: 'INTERNAL_ERROR', message: 'x' }] } });
    expect(await find({ email })).toMatchObject([{ kind: 'cannot-look-up', failure: { class: 'unavailable' } }]);
  });
});

// A create that nobody finds is sent again, so what is no answer must not read as "nobody has it".
describe('a reply that is no answer proves nothing', () => {
  test('by email: what it leaves out alone', async () => {
    stub.replyWith({ status: 207, body: { status: 'COMPLETE', results: [], errors: [absent('a@x')] } });
    expect(await find({ email: 'a@x' }, { email: 'b@x' })).toMatchObject([
      { kind: 'none', consistent: true },
      { kind: 'cannot-look-up', failure: { class: 'unavailable' } },
    ]);
  });

  test.each<[string, object]>([
    ['{}', {}],
    ['no list', { total: 0 }],
    ['no total', { results: [] }],
    ['a record without id', { total: 1, results: [{ properties: { lastname: 'x' } }] }],
  ])('by search: %s', async (_, body) => {
    stub.replyWith({ status: 200, body });
    expect(await find({ lastname: 'x' })).toMatchObject([
      { kind: 'cannot-look-up', failure: { class: 'unavailable' } },
    ]);
  });
});

describe('others: a search that lags', () => {
  const ada = { lastname: 'Lovelace', firstname: 'Ada', vip: true };
  const created = { propertyName: 'createdate', operator: 'GTE', value: String(+since - 10_000) };
  const eq = (propertyName: string, value: string) => ({ propertyName, operator: 'EQ', value });

  test('several creates share a search; each is identified by all its values, oldest first', async () => {
    const results = [
      record('3', { ...ada, vip: 'true', phone: null }, 3),
      record('2', { ...ada, vip: 'true', phone: null }, 2),
      record('4', { ...ada, vip: 'false' }),
      record('5', { lastname: 'Babbage' }),
    ];
    stub.replyWith({ status: 200, body: { total: 4, results } });
    const found = await find(ada, { lastname: 'Babbage' }, { lastname: 'Nobody' });
    expect(
      found.map((each) => (each.kind === 'found' ? each.matches.map(({ recordId }) => recordId) : each.kind)),
    ).toEqual([['2', '3'], ['5'], 'none']);
    expect(found.every(({ consistent }) => !consistent)).toBe(true);
    expect(bodies()).toEqual([
      {
        filterGroups: [
          { filters: [eq('lastname', 'Lovelace'), eq('firstname', 'Ada'), created] },
          { filters: [eq('lastname', 'Babbage'), created] },
          { filters: [eq('lastname', 'Nobody'), created] },
        ],
        properties: ['createdate', 'lastname', 'firstname', 'vip', 'email'],
        limit: 200,
        sorts: [{ propertyName: 'createdate', direction: 'ASCENDING' }],
      },
    ]);
  });

  // A create of a first name only must not take the record of a whole person that another create has made meanwhile.
  test.each<[string, Fields, object]>([
    ['tells more of who it is', { firstname: 'Ada', email: 'ada@x' }, { kind: 'none', near: ['1'] }],
    ['has another value besides', { firstname: 'Ada', city: 'London' }, { kind: 'found' }],
  ])('a record that carries what was sent and %s', async (_, properties, expected) => {
    stub.replyWith({ status: 200, body: { total: 1, results: [record('1', properties)] } });
    expect(await find({ firstname: 'Ada' })).toMatchObject([expected]);
  });

  // Both have sent a first name; only one of them a city. What has both is hers.
  test("a record that carries all that a more detailed create of others has sent is that one's", async () => {
    const hers = record('1', { firstname: 'Ada', city: 'London' });
    const ours = record('2', { firstname: 'Ada', city: null });
    stub.replyWith({ status: 200, body: { total: 2, results: [hers, ours] } });
    const others = [{ firstname: 'Ada', city: 'London' }, { firstname: 'Ada' }];
    const records = [{ fields: { firstname: 'Ada' }, since }];
    const [found] = await hubspot.findCreated({ ...contacts, records, others });
    expect(found).toMatchObject({ kind: 'found', matches: [{ recordId: '2' }] });
    expect(stub.requests[0]?.body).toMatchObject({ properties: expect.arrayContaining(['city']) as string[] });
  });

  test('while not all other creates are known what is equal may be theirs: it is near, and not found', async () => {
    stub.replyWith({ status: 200, body: { total: 1, results: [record('1', { firstname: 'Ada' })] } });
    const records = [{ fields: { firstname: 'Ada' }, since }];
    const found = await hubspot.findCreated({ ...contacts, records, othersAreWhole: false });
    expect(found).toEqual([{ kind: 'none', consistent: false, near: ['1'] }]);
  });

  test('at most 18 filters and 5 groups in a search', async () => {
    stub.replyWith({ status: 200, body: { total: 0, results: [] } });
    const wide = { a: 'a1', b: 'b1', c: 'c1', d: 'd1', e: 'e1', f: 'f1' };
    await find(wide, wide, wide, wide);
    expect(bodies().map(({ filterGroups }) => filterGroups?.map(({ filters }) => filters.length))).toEqual([
      [6, 6, 6],
      [6],
    ]);
    stub.replyWith({ status: 200, body: { total: 0, results: [] } });
    await find(...Array.from({ length: 6 }, () => ({ a: 'a1' })));
    expect(bodies().map(({ filterGroups }) => filterGroups?.length)).toEqual([5, 1]);
  });

  test('a page that is not whole is asked for each create alone', async () => {
    const mine = record('5', { lastname: 'Babbage' });
    stub.replyWith(
      { status: 200, body: { total: 500, results: [] } },
      { status: 200, body: { total: 500, results: [] } },
      { status: 200, body: { total: 1, results: [mine] } },
    );
    expect(await find(ada, { lastname: 'Babbage' })).toMatchObject([{ kind: 'none' }, { kind: 'found' }]);
    expect(stub.requests).toHaveLength(3);
  });

  test('nothing to search for', async () => {
    stub.replyWith({ status: 500 });
    const [found] = await find({ vip: true });
    expect(found).toEqual({
      kind: 'cannot-look-up',
      consistent: false,
      reason: 'no field was sent that HubSpot can be searched for',
    });
    expect(stub.requests).toHaveLength(0);
  });

  test('after a failure no further search is made', async () => {
    stub.replyWith({ status: 429, body: { message: 'no', policyName: 'SECONDLY' } });
    const found = await find(...Array.from({ length: 12 }, (_, index) => ({ lastname: `n${index}` })));
    expect(stub.requests).toHaveLength(1);
    expect(found).toHaveLength(12);
    const failure = { class: 'quota', retryAfterMs: 1_000, scope: 'search' };
    for (const each of found) expect(each).toMatchObject({ kind: 'cannot-look-up', failure });
  });
});

// Each HTTP exchange of a look costs the account's quota, and there may be twenty of them.
test('a lookup takes quota before each exchange, and makes none without', async () => {
  stub.replyWith({ status: 200, body: { total: 0, results: [] } });
  let left = 1;
  const failure = { class: 'quota', message: 'used up', scope: 'call', retryAfterMs: 700 } as const;
  const records = Array.from({ length: 12 }, (_, index) => ({ fields: { lastname: `n${index}` }, since }));
  const withhold = () => Promise.resolve(left-- > 0 ? undefined : failure);
  const found = await hubspot.findCreated({ ...contacts, records, withhold });
  expect(stub.requests).toHaveLength(1);
  expect(found.map(({ kind }) => kind)).toEqual([...Array(5).fill('none'), ...Array(7).fill('cannot-look-up')]);
  expect(found.at(-1)).toMatchObject({ failure });
});

test('a lookup names the limit that each exchange counts in', async () => {
  stub.replyWith(
    { status: 207, body: { results: [], errors: [absent('a@x')] } },
    { status: 200, body: { total: 0, results: [] } },
  );
  const asked: string[] = [];
  const withhold = (quota: string) => Promise.resolve(void asked.push(quota));
  const records = [{ email: 'a@x' }, { lastname: 'x' }].map((fields) => ({ fields, since }));
  await hubspot.findCreated({ ...contacts, records, withhold });
  expect(asked).toEqual(['account', 'search']);
});

test('a mixed request keeps its order', async () => {
  stub.replyWith(
    { status: 207, body: { results: [], errors: [absent('a@x')] } },
    { status: 200, body: { total: 0, results: [] } },
  );
  const found = await find({ lastname: 'x' }, { email: 'a@x' }, { vip: true });
  expect(found.map(({ kind, consistent }) => [kind, consistent])).toEqual([
    ['none', false],
    ['none', true],
    ['cannot-look-up', false],
  ]);
});
