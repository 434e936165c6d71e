import type { ProviderStub, StubReply } from '../../test/provider-stub';
import { auth, field, page, soqlOf } from '../../test/salesforce-replies';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector } from '../connector';
import type { Fields } from '../requests';

const since = new Date('2026-11-20T12:00:00.700Z');
const contacts = { auth, objectName: 'contact' };
let stub: ProviderStub;
let salesforce: Required<Connector>;
useStubbedConnectors((opened) => ({ stub, salesforce } = opened));

/** Salesforce's own to fill. */
const filled = { createable: false, updateable: false };
const described = {
  status: 200,
  body: {
    name: 'Contact',
    fields: [
      field('Id', 'id'),
      field('LastName'),
      field('FirstName'),
      field('Email', 'email'),
      field('Phone', 'phone'),
      field('Serial__c', 'string', { unique: true, externalId: true }),
      field('Legacy__c', 'string', { externalId: true }),
      field('Amount__c', 'currency', { scale: 2 }),
      field('Met__c', 'datetime'),
      field('Vip__c', 'boolean'),
      field('Description', 'textarea', { filterable: false }),
      field('Notes__c', 'textarea', { filterable: false, htmlFormatted: true }),
      field('CreatedDate', 'datetime', filled),
    ],
  },
};
const idOf = (tail: string) => `003ak000000000${tail}`.padEnd(18, 'A');
const record = (tail: string, fields: Fields, secondsAfter = 1) => {
  const at = new Date(Math.floor(+since / 1_000 + secondsAfter) * 1_000);
  const Id = idOf(tail);
  return {
    attributes: { type: 'Contact', url: `/services/data/v66.0/sobjects/Contact/${Id}` },
    Id,
    CreatedDate: at.toISOString().replace('Z', '+0000'),
    ...fields,
  };
};
const find = (...fields: Fields[]) =>
  salesforce.findCreated({ ...contacts, records: fields.map((each) => ({ fields: each, since })) });
const queries = () => stub.requests.flatMap(({ path }) => soqlOf(path) ?? []);

const jane = { LastName: 'Smith', FirstName: 'Jane', Email: 'jane@x.io' };

test('found by the most telling value, in any spelling that Salesforce keeps', async () => {
  const sent = { ...jane, Phone: '+1 (555) 01', Amount__c: 9.999, Met__c: '2026-11-20T12:00:00.900Z', Vip__c: false };
  const mine = record('A', {
    ...jane,
    Email: 'JANE@x.io',
    Phone: '(1) 55501',
    Amount__c: 10,
    Met__c: '2026-11-20T12:00:00.000+0000',
    Vip__c: false,
  });
  stub.replyWith(described, page(mine));
  expect(await find({ ...sent, lastname: ' smith ' })).toEqual([
    {
      kind: 'found',
      consistent: true,
      matches: [{ recordId: mine.Id, createdAt: new Date('2026-11-20T12:00:01Z'), data: mine }],
    },
  ]);
  expect(queries()).toEqual([
    'SELECT Id, CreatedDate, Email, LastName, FirstName, Phone, Amount__c, Met__c, Vip__c FROM Contact ' +
      "WHERE Email = 'jane@x.io' AND CreatedDate >= 2026-11-20T11:55:00Z LIMIT 500",
  ]);
});

test('several creates share a query; each gets its own record, oldest first', async () => {
  const [one, two] = [record('B', { LastName: 'B' }, 2), record('C', { LastName: 'B' }, 1)];
  stub.replyWith(described, page(one, two));
  const found = await find({ LastName: "O'B" }, { LastName: 'b' }, { LastName: 'None' });
  expect(queries()).toEqual([expect.stringContaining("WHERE LastName IN ('O\\'B', 'b', 'None') AND CreatedDate")]);
  expect(found.map((each) => (each.kind === 'found' ? each.matches.map(({ recordId }) => recordId) : each))).toEqual([
    { kind: 'none', consistent: true },
    [two.Id, one.Id],
    { kind: 'none', consistent: true },
  ]);
});

test('a hundred creates cost a few queries', async () => {
  stub.replyWith(described, page());
  const found = await find(
    ...Array.from({ length: 100 }, (_, at) => ({ Email: `person-${at}@a-long-domain.example` })),
  );
  expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(['none']));
  expect(queries().length).toBeLessThanOrEqual(2);
});

test('long values take more queries, each of which a URL holds', async () => {
  stub.replyWith(described, page());
  await find(...Array.from({ length: 30 }, (_, at) => ({ LastName: `${'€'.repeat(200)}${at}` })));
  expect(queries().length).toBeGreaterThan(1);
  for (const { path } of stub.requests) expect(path.length).toBeLessThanOrEqual(16_384);
});

test.each<[string, Fields, number, object]>([
  ['a second before the first attempt: clocks differ', jane, -1, { kind: 'found' }],
  ['long before', jane, -302, { kind: 'none', consistent: true }],
  ['minutes before, by a clock that is behind', jane, -290, { kind: 'none', near: [idOf('A')] }],
  ['of another person', { ...jane, Email: 'john@x.io' }, 1, { kind: 'none', consistent: true }],
  ['in which a trigger changed a value', { ...jane, FirstName: 'JJ' }, 1, { kind: 'none', near: [idOf('A')] }],
  ['that shares little', { Email: jane.Email, LastName: 'X', FirstName: 'Y' }, 1, { kind: 'none', consistent: true }],
])('a record %s', async (_, fields, secondsAfter, expected) => {
  stub.replyWith(described, page(record('A', fields, secondsAfter)));
  expect(await find(jane)).toMatchObject([expected]);
});

// `none` with `consistent` is a licence to send again: only a page that says of itself that it is whole gives one.
test.each<[string, object, object]>([
  ['of no list', {}, { kind: 'cannot-look-up', failure: { class: 'unavailable' } }],
  ['without the number of rows', { done: true, records: [] }, { kind: 'none', consistent: false }],
  ['that counts more rows than it has', { totalSize: 1, done: true, records: [] }, { consistent: false }],
  ['with a row without id', { totalSize: 1, done: true, records: [{ LastName: 'Smith' }] }, { consistent: false }],
])('a page %s is no proof', async (_, body, expected) => {
  stub.replyWith(described, { status: 200, body });
  expect(await find(jane)).toMatchObject([expected]);
});

test('a record of which half the values differ comes near', async () => {
  stub.replyWith(described, page(record('A', { LastName: 'Smith', FirstName: 'John' })));
  expect(await find({ LastName: 'Smith', FirstName: 'Jane' })).toEqual([
    { kind: 'none', consistent: true, near: [idOf('A')] },
  ]);
});

// The equal one may be another create's: ours is then the one that was changed.
test('a near match is returned beside an equal record', async () => {
  const [equal, changed] = [record('A', jane, 2), record('B', { ...jane, FirstName: 'JJ' })];
  stub.replyWith(described, page(equal, changed));
  expect(await find(jane)).toMatchObject([
    { kind: 'found', consistent: true, matches: [{ recordId: equal.Id }], near: [changed.Id] },
  ]);
});

// A trigger that rewrites the value we look by would hide our own record, and a resend make a second one.
test('a record whose most telling value a trigger has rewritten is seen by the next one', async () => {
  stub.replyWith(described, page(), page(record('A', { ...jane, Email: 'sales@x.io' })));
  expect(await find(jane)).toEqual([{ kind: 'none', consistent: true, near: [idOf('A')] }]);
  expect(queries().map((query) => query.slice(query.indexOf('WHERE'), query.indexOf(' AND')))).toEqual([
    "WHERE Email = 'jane@x.io'",
    "WHERE LastName = 'Smith'",
  ]);
});

test('a record with more identifying values than were sent is not certainly ours', async () => {
  stub.replyWith(described, page(record('A', jane)));
  expect(await find({ LastName: 'Smith', FirstName: 'Jane' })).toEqual([
    { kind: 'none', consistent: true, near: [idOf('A')] },
  ]);
});

test('a record that is wholly of another create comes near nobody', async () => {
  const john = { ...jane, FirstName: 'John' };
  stub.replyWith(described, page(record('A', john)));
  expect(await find(jane, john)).toMatchObject([{ kind: 'none', consistent: true }, { kind: 'found' }]);
});

test('a unique field alone decides: one record at most carries it, whatever else is in it', async () => {
  const other = { LastName: 'Other', FirstName: 'X', Email: 'x@x.io', Legacy__c: 'L2', Serial__c: 'S1' };
  stub.replyWith(described, page(record('A', other)));
  expect(await find({ Legacy__c: 'L1', ...jane, Serial__c: 'S1' })).toEqual([
    { kind: 'none', consistent: true, near: [idOf('A')] },
  ]);
  expect(queries()[0]).toContain("WHERE Serial__c = 'S1' AND CreatedDate");
});

test('an external id comes before a name', async () => {
  stub.replyWith(described, page());
  await find({ ...jane, Legacy__c: 'L1' });
  expect(queries()[0]).toContain("WHERE Legacy__c = 'L1' AND");
});

test('markup and fields of other records are not compared', async () => {
  stub.replyWith(described, page(record('A', jane)));
  const [found] = await find({ ...jane, Notes__c: '<b>x</b>', Account: { Ext__c: '1' } });
  expect(found?.kind).toBe('found');
  expect(queries()[0]).not.toContain('Notes__c');
});

test('more near matches than a page: each create is looked up narrowly, and finding none proves nothing', async () => {
  const many = Array.from({ length: 500 }, (_, at) => record(String(at).padStart(3, '0'), { ...jane, FirstName: 'X' }));
  stub.replyWith(described, page(...many), page());
  expect(await find({ LastName: 'Smith', FirstName: 'Jane' })).toEqual([{ kind: 'none', consistent: false }]);
  expect(queries()[1]).toContain("WHERE LastName = 'Smith' AND FirstName = 'Jane' AND CreatedDate");
});

test('more equal ones than a page: those that are found are not all', async () => {
  const many = Array.from({ length: 500 }, (_, at) => record(String(at).padStart(3, '0'), jane));
  stub.replyWith(described, page(...many), page(...many));
  expect(await find({ LastName: 'Smith', FirstName: 'Jane', Email: 'jane@x.io' })).toMatchObject([
    { kind: 'found', consistent: false },
  ]);
});

test("a record that carries all that a more detailed create of others has sent is that one's", async () => {
  const smith = { LastName: 'Smith', FirstName: 'Jane', Email: null, Phone: null };
  const [hers, ours] = [record('A', { ...smith, Phone: '555' }), record('B', smith)];
  stub.replyWith(described, page(hers, ours));
  const fields = { LastName: 'Smith', FirstName: 'Jane' };
  const others = [
    { ...fields, phone: '555' },
    { ...fields, LastName: 'Else' },
  ];
  const [found] = await salesforce.findCreated({ ...contacts, records: [{ fields, since }], others });
  expect(found).toMatchObject({ kind: 'found', matches: [{ recordId: ours.Id }] });
  expect(queries()[0]).toContain('Phone');
});

// Two equal ones, because what equals another create of the call is otherwise near nobody.
test('while not all other creates are known what is equal may be theirs: it is near, and nothing is sent again', async () => {
  stub.replyWith(described, page(record('A', jane)));
  const records = [jane, jane].map((fields) => ({ fields, since }));
  const found = await salesforce.findCreated({ ...contacts, records, othersAreWhole: false });
  expect(found).toEqual([1, 2].map(() => ({ kind: 'none', consistent: true, near: [idOf('A')] })));
});

test('a unique field identifies the record even while not all other creates are known', async () => {
  const keyed = { ...jane, Serial__c: 'S1' };
  stub.replyWith(described, page(record('A', keyed)));
  const records = [{ fields: keyed, since }];
  const found = await salesforce.findCreated({ ...contacts, records, othersAreWhole: false });
  expect(found).toMatchObject([{ kind: 'found', matches: [{ recordId: idOf('A') }] }]);
});

test('a lookup takes quota before each exchange, its description too, and makes none without', async () => {
  stub.replyWith(described, page());
  const failure = { class: 'quota', message: 'used up', scope: 'call', retryAfterMs: 700 } as const;
  const findWith = (granted: number) => {
    let left = granted;
    const withhold = () => Promise.resolve(left-- > 0 ? undefined : failure);
    const object = { ...contacts, auth: { ...auth, accessToken: `${auth.accessToken}${granted}` } };
    return salesforce.findCreated({ ...object, records: [{ fields: jane, since }], withhold });
  };
  expect(await findWith(0)).toMatchObject([{ kind: 'cannot-look-up', failure: { class: 'quota', retryAfterMs: 700 } }]);
  expect(stub.requests).toHaveLength(0);
  expect(await findWith(1)).toMatchObject([{ kind: 'cannot-look-up', failure: { class: 'quota' } }]);
  expect(stub.requests).toHaveLength(1);
});

// Who may set audit fields makes a record of today that says 2019, and a flow can do the same to one that says nothing.
describe('where a write may set CreatedDate, it bounds nothing', () => {
  const open = field('CreatedDate', 'datetime');
  const withMoments = (...moments: object[]) => {
    const names = ['CreatedDate', 'SystemModstamp'];
    const fields = described.body.fields.filter(({ name }) => !names.includes(name));
    return { status: 200, body: { name: 'Contact', fields: [...fields, ...moments] } };
  };
  const stamp = field('SystemModstamp', 'datetime', filled);
  const old = { ...jane, CreatedDate: '2019-03-01T10:00:00.000+0000' };

  test.each<[string, object[], Fields, string]>([
    ['sent with the record', [open, stamp], { CreatedDate: '2019-03-01T10:00:00Z' }, ' AND SystemModstamp >= 2026'],
    ['sent under another spelling', [open, stamp], { createddate: '2019-03-01' }, ' AND SystemModstamp >= 2026'],
    ['set by the account', [open, stamp], {}, ' AND SystemModstamp >= 2026'],
    ['without another moment', [open], {}, "WHERE Email = 'jane@x.io' LIMIT"],
    ['with another that can be set too', [open, field('SystemModstamp', 'datetime')], {}, "'jane@x.io' LIMIT"],
  ])('%s', async (_, moments, sent, bound) => {
    stub.replyWith(withMoments(...moments), page({ ...record('A', jane), ...old }));
    expect(await find({ ...jane, ...sent })).toEqual([{ kind: 'none', consistent: true, near: [idOf('A')] }]);
    expect(queries()[0]).toContain(bound);
  });

  test('with a unique key: the record that has it may be ours, whatever it says, and is none to send again for', async () => {
    stub.replyWith(withMoments(open, stamp), page({ ...record('A', { ...old, Serial__c: 'x-1' }), ...old }));
    const [found] = await find({ ...old, Serial__c: 'x-1' });
    expect(found).toEqual({ kind: 'none', consistent: true, near: [idOf('A')] });
  });

  test('a record that says a moment of our time is ours, unless we said it', async () => {
    stub.replyWith(withMoments(open, stamp), page(record('A', jane)));
    expect(await find(jane)).toMatchObject([{ kind: 'found', matches: [{ recordId: idOf('A') }] }]);
    expect(await find({ ...jane, CreatedDate: '2026-11-20T12:00:01Z' })).toMatchObject([{ near: [idOf('A')] }]);
  });

  test('no record with such a value, of whatever age: that is proof', async () => {
    stub.replyWith(withMoments(open), page());
    expect(await find(jane)).toEqual([{ kind: 'none', consistent: true }]);
  });
});

test('what was deleted or merged meanwhile is asked for too', async () => {
  stub.replyWith(described, page(record('A', { ...jane, IsDeleted: true })));
  expect(await find(jane)).toMatchObject([{ kind: 'found', matches: [{ recordId: idOf('A') }] }]);
  expect(stub.requests.map(({ path }) => path.split('?')[0]?.split('/').at(-1))).toEqual(['describe', 'queryAll']);
});

test('a unique value that the account rewrites hides nothing either', async () => {
  stub.replyWith(described, page(), page(record('A', { ...jane, Serial__c: 'S-0001' })));
  expect(await find({ ...jane, Serial__c: '1' })).toEqual([{ kind: 'none', consistent: true, near: [idOf('A')] }]);
  expect(queries()[1]).toContain("WHERE Email = 'jane@x.io' AND CreatedDate");
});

describe('no lookup', () => {
  test('nothing was sent that can be asked for', async () => {
    stub.replyWith(described, page());
    const found = await find({ Description: 'long', Vip__c: true, Amount__c: 1 }, { LastName: 'x'.repeat(256) }, {});
    expect(found.map(({ kind }) => kind)).toEqual(['cannot-look-up', 'cannot-look-up', 'cannot-look-up']);
    expect(found.every((each) => each.kind === 'cannot-look-up' && each.failure === undefined)).toBe(true);
    expect(queries()).toEqual([]);
  });

  test.each<[string, readonly StubReply[], string]>([
    ['the description fails', [{ status: 503 }], 'unavailable'],
    [
      'the query fails',
      [described, { status: 401, body: [{ errorCode: 'INVALID_SESSION_ID', message: 'x' }] }],
      'credentials',
    ],
  ])('%s: another lookup may succeed, and the rest is not requested', async (_, replies, expected) => {
    stub.replyWith(...replies);
    const found = await find(jane, { LastName: 'B' });
    expect(found).toMatchObject([
      { kind: 'cannot-look-up', failure: { class: expected } },
      { kind: 'cannot-look-up', failure: { class: expected } },
    ]);
    expect(stub.requests).toHaveLength(replies.length);
  });

  test('an object without a moment of creation', async () => {
    stub.replyWith({ status: 200, body: { name: 'Odd__c', fields: [field('Name')] } });
    expect(await find({ Name: 'x' })).toMatchObject([{ kind: 'cannot-look-up', reason: 'Odd__c has no CreatedDate' }]);
  });
});

test('equal creates have equal fingerprints', () => {
  const of = (objectName: string, fields: Fields) => salesforce.fingerprint(objectName, fields);
  expect(of('Contact', { LastName: ' Smith ', Email: 'A@x.io', Phone: '' })).toBe(
    of('contact', { email: 'a@x.io', lastname: 'smith', FirstName: null }),
  );
  expect(of('Contact', { LastName: 'Smith' })).not.toBe(of('Lead', { LastName: 'Smith' }));
  expect(of('Contact', { LastName: 'Smith' })).not.toBe(of('Contact', { FirstName: 'Smith' }));
});
