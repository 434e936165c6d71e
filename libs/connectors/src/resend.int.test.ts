import { DefectError, DependencyError } from '@sluice/errors';
import type { ProviderStub, StubReply } from '../test/provider-stub';
import { collections, done, field, idA, idB, page, record, refused, root, soqlOf } from '../test/salesforce-replies';
import { useStubbedConnectors } from '../test/stubbed-connectors';
import type { Connector } from './connector';
import { wasThereWarning } from './results';

let stub: ProviderStub;
let hubspot: Required<Connector>;
let salesforce: Required<Connector>;
useStubbedConnectors((opened) => ({ stub, hubspot, salesforce } = opened));

const sent = () => stub.requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`);
const ok = (body: object) => ({ status: 200, body });

describe('HubSpot', () => {
  const call = { auth: { accessToken: 'token-12345' }, objectName: 'companies' };
  const properties = ok({
    results: [{ name: 'hs_object_id', hasUniqueValue: true }, { name: 'code', hasUniqueValue: true }, { name: 'name' }],
  });
  const nobody = {
    status: 207,
    body: { results: [], errors: [{ category: 'OBJECT_NOT_FOUND', context: { ids: ['A1', 'A2'] } }] },
  };
  const first = { fields: { code: 'A1', name: 'Acme' } };
  const second = { fields: { code: 'A2', name: 'Acme' } };
  const result = (id: string, code: string, isNew: boolean) => ({ id, properties: { code }, new: isNew });
  const create = ok({ id: '1', properties: {} });
  const objects = '/crm/v3/objects/companies';

  test('sent again, with values that nobody has: an upsert, one result each by its key', async () => {
    stub.replyWith(properties, nobody, ok({ results: [result('2', 'a2', false), result('1', 'A1', true)] }));
    const results = await hubspot.createBatch({ ...call, records: [first, second], isResend: true });
    expect(results).toMatchObject([
      { ok: true, recordId: '1' },
      { ok: true, recordId: '2', warnings: [wasThereWarning] },
    ]);
    expect(results[0]).not.toHaveProperty('warnings');
    expect(sent()).toEqual([
      'GET /crm/v3/properties/companies',
      `POST ${objects}/batch/read`,
      `POST ${objects}/batch/upsert`,
    ]);
    expect(stub.requests[1]?.body).toMatchObject({ idProperty: 'code', inputs: [{ id: 'A1' }, { id: 'A2' }] });
    expect(stub.requests[2]?.body).toEqual({
      inputs: [
        { id: 'A1', idProperty: 'code', properties: first.fields, objectWriteTraceId: '0' },
        { id: 'A2', idProperty: 'code', properties: second.fields, objectWriteTraceId: '1' },
      ],
    });
  });

  test('all or none leaves the trace ids out', async () => {
    stub.replyWith(properties, nobody, ok({ results: [result('1', 'A1', true)] }));
    await hubspot.createBatch({ ...call, records: [first], isResend: true, allOrNone: true });
    expect(stub.requests[2]?.body).toEqual({ inputs: [{ id: 'A1', idProperty: 'code', properties: first.fields }] });
  });

  // An upsert would write over it. What HubSpot says of a second record with the value is a conflict.
  test('somebody has the value, of whatever age: a create, and a conflict', async () => {
    const theirs = ok({ results: [{ id: '9', properties: { code: 'a1', createdate: '2020-01-01T00:00:00Z' } }] });
    const message = `Property values were not valid: [${JSON.stringify({ isValid: false, message: '9 already has that value.', error: 'CONFLICTING_UNIQUE_VALUE', name: 'code' })}]`;
    stub.replyWith(properties, theirs, {
      status: 400,
      body: { status: 'error', message, category: 'VALIDATION_ERROR' },
    });
    expect(await hubspot.create({ ...call, ...first, isResend: true })).toMatchObject({
      ok: false,
      error: { class: 'conflict', existingId: '9' },
    });
    expect(sent().at(-1)).toBe(`POST ${objects}`);
  });

  test.each<[string, object[]]>([
    ['a record without the property', [first, { fields: { name: 'Acme' } }]],
    ['two records with one value', [first, { fields: { code: 'a1' } }]],
    ['associations', [{ ...first, associations: [{ to: { id: '1' }, types: [] }] }]],
  ])('%s: a create', async (_, records) => {
    stub.replyWith(properties, ok({ results: [] }));
    await hubspot.createBatch({ ...call, records: records as never, isResend: true });
    expect(sent().at(-1)).toBe(`POST ${objects}/batch/create`);
    expect(sent().some((each) => each.endsWith('read') || each.endsWith('upsert'))).toBe(false);
  });

  test('the email is no key of an upsert', async () => {
    stub.replyWith(ok({ results: [{ name: 'email', hasUniqueValue: true }] }), create);
    await hubspot.create({ ...call, objectName: 'contacts', fields: { email: 'a@x' }, isResend: true });
    expect(sent()).toEqual(['GET /crm/v3/properties/contacts', 'POST /crm/v3/objects/contacts']);
  });

  test.each([
    ['cannot be read now: nothing is sent', 503, 'unavailable', ['GET /crm/v3/properties/companies']],
    ['may not be read: a create', 403, undefined, ['GET /crm/v3/properties/companies', `POST ${objects}`]],
  ])('properties that %s', async (_, status, failureClass, calls) => {
    stub.replyWith({ status, body: { message: 'no' } }, create);
    const outcome = await hubspot.create({ ...call, ...first, isResend: true });
    expect(outcome.ok ? undefined : outcome.error.class).toBe(failureClass);
    expect(sent()).toEqual(calls);
  });

  test('an upsert without an answer is as unknown as a create', async () => {
    stub.replyWith(properties, nobody, (response) => response.destroy());
    expect(await hubspot.create({ ...call, ...first, isResend: true })).toMatchObject({ error: { class: 'unknown' } });
  });

  test('the lookup: a unique property of the account finds the record at once', async () => {
    const since = new Date('2026-11-20T12:00:00Z');
    const mine = { id: '1', properties: { ...first.fields }, createdAt: '2026-11-20T12:00:01Z' };
    stub.replyWith(properties, {
      status: 207,
      body: { results: [mine], errors: [{ category: 'OBJECT_NOT_FOUND', context: { ids: ['A2'] } }] },
    });
    const found = await hubspot.findCreated({ ...call, records: [first, second].map((each) => ({ ...each, since })) });
    expect(found).toMatchObject([
      { kind: 'found', consistent: true, matches: [{ recordId: '1' }] },
      { kind: 'none', consistent: true },
    ]);
    expect(sent()).toEqual(['GET /crm/v3/properties/companies', `POST ${objects}/batch/read`]);
  });

  test('the lookup: properties that cannot be read now prove nothing, and without access it uses a search', async () => {
    const find = () => hubspot.findCreated({ ...call, records: [{ ...first, since: new Date() }] });
    stub.replyWith({ status: 503, body: { message: 'no' } });
    expect(await find()).toMatchObject([{ kind: 'cannot-look-up', failure: { class: 'unavailable' } }]);
    stub.replyWith({ status: 403, body: { message: 'no' } }, ok({ total: 0, results: [] }));
    expect(await find()).toEqual([{ kind: 'none', consistent: false }]);
    expect(sent().at(-1)).toBe(`POST ${objects}/search`);
  });
});

describe('Salesforce', () => {
  const call = { auth: { accessToken: '00Dak00000TestAA!AQ.secret', workspaceRef: 'acme' }, objectName: 'Contact' };
  const ours = [
    field('LastName'),
    field('Name'),
    field('CreatedDate', 'datetime', { createable: false, updateable: false }),
  ];
  const describedWith = (legacy: object) =>
    ok({ name: 'Contact', fields: [...ours, field('Legacy__c', 'string', legacy)] });
  const description = describedWith({ externalId: true, unique: true });
  const shared = describedWith({ externalId: true });
  const first = { fields: { LastName: 'A', legacy__C: "L'1" } };
  const second = { fields: { LastName: 'B', legacy__C: 'L2' } };
  const upsert = `PATCH ${collections}/Contact/Legacy__c`;

  test('sent again, with values that nobody has: an upsert by the unique external id', async () => {
    stub.replyWith(
      description,
      page(),
      ok([
        { ...done(idA), created: true },
        { ...done(idB), created: false },
      ]),
    );
    const headers = [{ key: 'Sforce-Auto-Assign', value: 'FALSE' }];
    const results = await salesforce.createBatch({ ...call, headers, records: [first, second], isResend: true });
    expect(results).toEqual([
      { ok: true, recordId: idA },
      { ok: true, recordId: idB, warnings: [wasThereWarning] },
    ]);
    expect(sent()).toEqual([`GET ${root}/sobjects/Contact/describe`, `GET ${root}/query`, upsert]);
    expect(soqlOf(stub.requests[1]?.path)).toBe(
      "SELECT Id, Legacy__c FROM Contact WHERE Legacy__c IN ('L\\'1', 'L2') LIMIT 2000",
    );
    expect(stub.requests[2]).toMatchObject({
      headers: { 'sforce-auto-assign': 'FALSE' },
      body: {
        allOrNone: false,
        records: [
          { LastName: 'A', legacy__C: "L'1", attributes: { type: 'Contact' } },
          { LastName: 'B', legacy__C: 'L2', attributes: { type: 'Contact' } },
        ],
      },
    });
  });

  // An upsert would write over it. What Salesforce says of a second record with the value is a conflict.
  test('somebody has the value, of whatever age: a create, and a conflict', async () => {
    const message = `duplicate value found: Legacy__c duplicates value on record with id: ${idB}`;
    const taken = { status: 400, body: refused('DUPLICATE_VALUE', message) };
    stub.replyWith(description, page(record(idB, { Legacy__c: "l'1" })), taken);
    expect(await salesforce.create({ ...call, ...first, isResend: true })).toMatchObject({
      error: { class: 'conflict', existingId: idB },
    });
    expect(sent().at(-1)).toBe(`POST ${root}/sobjects/Contact`);
  });

  // Nothing refuses a second record there, so the first send, however late it was carried out, is looked for before anything leaves.
  describe('an external id that the account does not keep unique', () => {
    const firstSentAt = new Date('2026-11-20T12:00:00Z');
    const seen = (...rows: readonly (readonly [id: string, values: object])[]) =>
      page(...rows.map(([id, values]) => record(id, { CreatedDate: '2026-11-20T12:20:00.000+0000', ...values })));
    const mine = { LastName: 'A', Name: 'A', Legacy__c: "L'1" };
    const nearly = { ...mine, LastName: 'A.' };
    const many = seen(...Array.from({ length: 500 }, () => [idB, mine] as const));
    const written = { ok: true, recordId: idA };
    const mayBe = (existingId: string, values: string) => {
      const message = `record ${existingId} was made since the first send and has ${values} values`;
      return { error: { class: 'unknown', scope: 'record', existingId, message: expect.stringContaining(message) } };
    };

    // `others`: records that another create is known to have made. Of two creates that are equal in every value each makes a record.
    test.each<[string, replies: object[], others: string[], asked: string[][], expected: object]>([
      ['our own late create is there', [seen([idB, mine])], [], [[idB]], mayBe(idB, 'the same')],
      ['a trigger may have rewritten ours', [seen([idB, nearly])], [], [[idB]], mayBe(idB, 'nearly the same')],
      ['an equal one is of another create', [seen([idB, mine])], [idB], [[idB]], written],
      ['a nearly equal one is of another create', [seen([idB, nearly])], [idB], [[idB]], written],
      ['one of two is', [seen([idA, mine], [idB, mine])], [idA], [[idA, idB]], mayBe(idB, 'the same')],
      // Ours was changed since, and a resend would be its second.
      ['the equal one is', [seen([idA, mine], [idB, nearly])], [idA], [[idA, idB]], mayBe(idB, 'nearly the same')],
      ['all that are seen are, and there are more', [many, many], [idB], [[idB]], { error: { class: 'unknown' } }],
      ['one that is seen twice is', [seen([idB, mine], [idB, mine])], [idB], [[idB]], written],
      ['nobody has the value', [page(), page()], [], [], written],
      ['somebody has it', [seen([idB, { ...mine, LastName: 'Else', Name: 'Else' }]), page()], [], [], written],
      ['the lookup fails', [{ status: 503, body: [] }], [], [], { error: { class: 'unavailable' } }],
    ])('%s', async (...[, replies, others, asked, expected]) => {
      stub.replyWith(shared, ...(replies as StubReply[]), { status: 201, body: done(idA) });
      const requested: (readonly string[])[] = [];
      const findClaimed = async (ids: readonly string[]) => (requested.push(ids), new Set(others));
      const fields = { ...first.fields, Name: 'A' };
      const result = await salesforce.create({ ...call, fields, isResend: true, firstSentAt, findClaimed });
      expect(result).toMatchObject(expected);
      expect(requested).toEqual(asked);
      const calls = sent().filter((each) => !each.startsWith('GET'));
      expect(calls).toEqual(result.ok ? [`POST ${root}/sobjects/Contact`] : []);
    });

    const resendBoth = (findClaimed = async () => new Set<string>()) => {
      const records = [first, second].map((each) => ({ ...each, firstSentAt }));
      return salesforce.createBatch({ ...call, records, isResend: true, findClaimed });
    };

    test('one record of a batch is there: the others wait for the lookup', async () => {
      stub.replyWith(shared, seen([idB, mine]));
      expect(await resendBoth()).toMatchObject([
        { error: { class: 'unknown', existingId: idB } },
        { error: { class: 'unavailable', scope: 'call' } },
      ]);
      expect(soqlOf(stub.requests[1]?.path)).toContain('AND CreatedDate >= 2026-11-20T11:55:00Z');
      expect(sent().filter((each) => !each.startsWith('GET'))).toEqual([]);
    });

    // Else it would be told of a conflict with somebody's record, which nothing of its own can have made.
    test('one of the batch that was never sent is not looked for', async () => {
      stub.replyWith(shared, page(), page(), ok([done(idA), done(idB)]));
      const batch = { ...call, records: [first, { ...second, firstSentAt }], isResend: true };
      const results = await salesforce.createBatch(batch);
      expect(results).toMatchObject([{ ok: true }, { ok: true }]);
      expect(stub.requests.map(({ path }) => soqlOf(path) ?? '').join()).not.toContain("L\\'1");
    });

    // Thrown on, it would be a crash of the call after its intent: two of them and two more alone, and the call is taken out.
    test('an unavailable database is a failed lookup, our own defect is none, and nothing is sent', async () => {
      stub.replyWith(shared, seen([idB, mine]));
      const away = new DependencyError({ code: 'service.unavailable', detail: 'The database does not answer.' });
      const failure = { class: 'unavailable', scope: 'call', message: expect.stringContaining('Not sent again yet') };
      const failed = { ok: false, error: failure };
      expect(await resendBoth(() => Promise.reject(away))).toEqual([failed, failed]);
      const defect = new DefectError({ code: 'service.defect', detail: 'broken' });
      await expect(resendBoth(() => Promise.reject(defect))).rejects.toBe(defect);
      expect(sent().filter((each) => !each.startsWith('GET'))).toEqual([]);
    });

    test('beside one that is unique: the unique one makes the upsert', async () => {
      const all = [...ours, field('Code__c', 'string', { externalId: true, unique: true })];
      const both = ok({ name: 'Contact', fields: [field('Legacy__c', 'string', { externalId: true }), ...all] });
      stub.replyWith(both, page(), ok([{ ...done(idA), created: true }]));
      await salesforce.create({ ...call, fields: { ...first.fields, Code__c: 'c1' }, isResend: true, firstSentAt });
      expect(sent().at(-1)).toBe(`PATCH ${collections}/Contact/Code__c`);
    });
  });

  test.each<[string, object[]]>([
    ['a record without the field', [first, { fields: { LastName: 'B' } }]],
    ['an empty value', [{ fields: { LastName: 'B', Legacy__c: null } }]],
    ['two records with one value', [first, { fields: { Legacy__c: "l'1" } }]],
  ])('%s: a create', async (_, records) => {
    stub.replyWith(description, ok(records.map(() => done(idA))));
    await salesforce.createBatch({ ...call, records: records as never, isResend: true });
    expect(sent()).toEqual([`GET ${root}/sobjects/Contact/describe`, `POST ${collections}`]);
  });

  test('more than one record has the value after all: a conflict', async () => {
    const several = {
      success: false,
      errors: [{ statusCode: 'DUPLICATE_EXTERNAL_ID', message: 'more than one record found', fields: [] }],
    };
    stub.replyWith(description, page(), ok([several]));
    expect(await salesforce.create({ ...call, ...first, isResend: true })).toMatchObject({
      error: { class: 'conflict' },
    });
  });

  test.each([
    ['cannot be read now: nothing is sent', 503, 'unavailable', 1],
    ['may not be read: a create', 403, undefined, 2],
  ])('a description that %s', async (_, status, failureClass, calls) => {
    const body = [{ errorCode: status === 503 ? 'SERVER_UNAVAILABLE' : 'INSUFFICIENT_ACCESS', message: 'no' }];
    stub.replyWith({ status, body }, { status: 201, body: done(idA) });
    const outcome = await salesforce.create({ ...call, ...first, isResend: true });
    expect(outcome.ok ? undefined : outcome.error.class).toBe(failureClass);
    expect(sent()).toHaveLength(calls);
  });

  test('a delete whose earlier send may have been carried out: gone is what was wanted', async () => {
    stub.replyWith({ status: 404, body: refused('ENTITY_IS_DELETED', 'gone') });
    expect(await salesforce.delete({ ...call, recordId: idA, isResend: true })).toEqual({ ok: true, recordId: idA });
    expect(await salesforce.delete({ ...call, recordId: idA })).toMatchObject({ error: { class: 'not-found' } });
  });
});
