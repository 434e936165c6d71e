import { DefectError, DependencyError } from '@sluice/errors';
import type { ProviderStub } from '../test/provider-stub';
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
  const ours = [field('LastName'), field('Name'), field('CreatedDate', 'datetime')];
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
    const row = (id: string, values: object) =>
      page(record(id, { CreatedDate: '2026-11-20T12:20:00.000+0000', ...values }));
    const mine = { LastName: 'A', Legacy__c: "L'1" };
    const records = [first, second].map((each) => ({ ...each, firstSentAt }));

    test('taken by our own late create: nothing is sent, and it is looked for', async () => {
      stub.replyWith(shared, row(idB, mine));
      expect(await salesforce.create({ ...call, ...first, isResend: true, firstSentAt })).toMatchObject({
        ok: false,
        error: { class: 'unknown', existingId: idB, scope: 'record', message: expect.stringContaining(idB) },
      });
      expect(sent()).toEqual([`GET ${root}/sobjects/Contact/describe`, `GET ${root}/query`]);
      expect(soqlOf(stub.requests[1]?.path)).toContain("Legacy__c = 'L\\'1' AND CreatedDate >= 2026-11-20T11:59:50Z");
    });

    test('of one record of a batch: the others wait for the lookup', async () => {
      stub.replyWith(shared, row(idB, mine));
      const results = await salesforce.createBatch({ ...call, records, isResend: true });
      expect(results).toMatchObject([
        { error: { class: 'unknown', existingId: idB } },
        { error: { class: 'unavailable', scope: 'call' } },
      ]);
      expect(sent().some((each) => each.startsWith('P'))).toBe(false);
    });

    // Two creates that are equal in every value: the record is the other one's, so this one has none and nothing refuses it one.
    test.each([
      ['the same', mine],
      ['nearly the same', { ...mine, LastName: 'A.' }],
    ])('a record of %s values that another create made: it is sent', async (_, values) => {
      stub.replyWith(shared, row(idB, values), { status: 201, body: done(idA) });
      const asked: (readonly string[])[] = [];
      const findClaimed = async (ids: readonly string[]) => {
        asked.push(ids);
        return new Set(ids);
      };
      const result = await salesforce.create({ ...call, ...first, isResend: true, firstSentAt, findClaimed });
      expect(result).toEqual({ ok: true, recordId: idA });
      expect(asked).toEqual([[idB]]);
      expect(sent().at(-1)).toBe(`POST ${root}/sobjects/Contact`);
    });

    test('one of two such records is another’s: the other one may be ours', async () => {
      const when = { CreatedDate: '2026-11-20T12:20:00.000+0000' };
      stub.replyWith(shared, page(record(idA, { ...when, ...mine }), record(idB, { ...when, ...mine })));
      const findClaimed = async () => new Set([idA]);
      const result = await salesforce.create({ ...call, ...first, isResend: true, firstSentAt, findClaimed });
      expect(result).toMatchObject({ error: { class: 'unknown', existingId: idB } });
      expect(sent().some((each) => each.startsWith('P'))).toBe(false);
    });

    // The equal one was made by an equal create; ours was changed since, and a resend would be its second.
    test('the same one is another’s, and a nearly same one is nobody’s: nothing is sent', async () => {
      const when = { CreatedDate: '2026-11-20T12:20:00.000+0000' };
      const changed = { ...when, ...mine, LastName: 'A.' };
      stub.replyWith(shared, page(record(idA, { ...when, ...mine }), record(idB, changed)));
      const asked: (readonly string[])[] = [];
      const findClaimed = async (ids: readonly string[]) => {
        asked.push(ids);
        return new Set([idA]);
      };
      const result = await salesforce.create({ ...call, ...first, isResend: true, firstSentAt, findClaimed });
      expect(result).toMatchObject({
        error: { class: 'unknown', existingId: idB, message: expect.stringContaining('nearly the same') },
      });
      expect(asked).toEqual([[idA, idB]]);
      expect(sent().some((each) => each.startsWith('P'))).toBe(false);
    });

    test('all that are seen are others’, and there are more: nothing is sent', async () => {
      const when = { CreatedDate: '2026-11-20T12:20:00.000+0000' };
      const many = page(...Array.from({ length: 500 }, () => record(idB, { ...when, ...mine })));
      stub.replyWith(shared, many, many);
      const findClaimed = async (ids: readonly string[]) => new Set(ids);
      const result = await salesforce.create({ ...call, ...first, isResend: true, firstSentAt, findClaimed });
      expect(result).toMatchObject({ error: { class: 'unknown', scope: 'record' } });
      expect(sent().some((each) => each.startsWith('P'))).toBe(false);
    });

    // Else it would be told of a conflict with somebody's record, which nothing of its own can have made.
    test('one of the batch that was never sent is not looked for', async () => {
      stub.replyWith(shared, page(), page(), ok([done(idA), done(idB)]));
      const batch = { ...call, records: [first, { ...second, firstSentAt }], isResend: true };
      const results = await salesforce.createBatch(batch);
      expect(results).toMatchObject([{ ok: true }, { ok: true }]);
      expect(stub.requests.map(({ path }) => soqlOf(path) ?? '').join()).not.toContain("L\\'1");
    });

    // A trigger may have rewritten a value of our own late create, which the look of the reconciliation did not see yet.
    test('on a record that is nearly the same: nothing is sent, and it stays in doubt', async () => {
      stub.replyWith(shared, row(idB, { ...mine, LastName: 'A.' }), page());
      const results = await salesforce.createBatch({ ...call, records, isResend: true });
      expect(results).toMatchObject([
        { error: { class: 'unknown', scope: 'record', message: expect.stringContaining(idB) } },
        { error: { class: 'unavailable', scope: 'call' } },
      ]);
      expect(sent().some((each) => each.startsWith('P'))).toBe(false);
    });

    const others = { LastName: 'Else', Name: 'Else', Legacy__c: "L'1" };
    test.each<[string, ReturnType<typeof page>[]]>([
      ['nobody has it', [page(), page()]],
      ['somebody else has it', [row(idB, others), page()]],
    ])('%s: a create, never an upsert', async (_, found) => {
      stub.replyWith(shared, ...found, { status: 201, body: done(idA) });
      const fields = { ...first.fields, Name: 'A' };
      const result = await salesforce.create({ ...call, fields, isResend: true, firstSentAt });
      expect(result).toEqual({ ok: true, recordId: idA });
      expect(sent().at(-1)).toBe(`POST ${root}/sobjects/Contact`);
      expect(sent().some((each) => each.startsWith('PATCH'))).toBe(false);
    });

    // Thrown on, it would be a crash of the call after its intent: two of them and two more alone, and the call is taken out.
    test('an unavailable database is a failed lookup, and nothing is sent', async () => {
      stub.replyWith(shared, row(idB, mine));
      const findClaimed = () =>
        Promise.reject(new DependencyError({ code: 'service.unavailable', detail: 'The database does not answer.' }));
      const results = await salesforce.createBatch({ ...call, records, isResend: true, findClaimed });
      const failure = { class: 'unavailable', scope: 'call', message: expect.stringContaining('Not sent again yet') };
      expect(results).toEqual([
        { ok: false, error: failure },
        { ok: false, error: failure },
      ]);
      expect(sent().some((each) => each.startsWith('P'))).toBe(false);
    });

    test('our own defect is not a failed lookup', async () => {
      stub.replyWith(shared, row(idB, mine));
      const defect = new DefectError({ code: 'service.defect', detail: 'broken' });
      const findClaimed = () => Promise.reject(defect);
      await expect(salesforce.create({ ...call, ...first, isResend: true, firstSentAt, findClaimed })).rejects.toBe(
        defect,
      );
      expect(sent().some((each) => each.startsWith('P'))).toBe(false);
    });

    test('a record that is seen twice is asked for once', async () => {
      const when = { CreatedDate: '2026-11-20T12:20:00.000+0000' };
      stub.replyWith(shared, page(record(idB, { ...when, ...mine }), record(idB, { ...when, ...mine })), {
        status: 201,
        body: done(idA),
      });
      const asked: (readonly string[])[] = [];
      const findClaimed = async (ids: readonly string[]) => {
        asked.push(ids);
        return new Set(ids);
      };
      await salesforce.create({ ...call, ...first, isResend: true, firstSentAt, findClaimed });
      expect(asked).toEqual([[idB]]);
    });

    test('a failed lookup: nothing is sent', async () => {
      stub.replyWith(shared, { status: 503, body: refused('SERVER_UNAVAILABLE', 'no') });
      const result = await salesforce.create({ ...call, ...first, isResend: true, firstSentAt });
      expect(result).toMatchObject({ error: { class: 'unavailable' } });
      expect(sent()).toHaveLength(2);
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
