import { DefectError } from '@sluice/errors';
import { impatientMs, silence, type ProviderStub, type StubReply } from '../../test/provider-stub';
import {
  auth,
  collections,
  contacts,
  done,
  idA,
  idB,
  objects,
  refused,
  refusedItem,
} from '../../test/salesforce-replies';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector } from '../connector';

let stub: ProviderStub;
let salesforce: Required<Connector>;
const { open, openDirect } = useStubbedConnectors((opened) => ({ stub, salesforce } = opened));

interface Case {
  readonly name: string;
  readonly act: () => Promise<unknown>;
  readonly request: { method: string; path: string; body?: unknown };
  readonly reply: StubReply;
  readonly expected: unknown;
}

const ada = { LastName: 'Lovelace', Email: null, Interests__c: ['a', 'b'] };
const adaSent = { LastName: 'Lovelace', Email: null, Interests__c: 'a;b' };

const cases: readonly Case[] = [
  {
    name: 'create',
    act: () => salesforce.create({ ...contacts, fields: ada }),
    request: { method: 'POST', path: objects, body: adaSent },
    reply: { status: 201, body: done(idA) },
    expected: { ok: true, recordId: idA },
  },
  {
    name: 'create that would say of which object it is',
    act: () => salesforce.create({ ...contacts, fields: { LastName: 'A', Attributes: { type: 'User' } } }),
    request: { method: 'POST', path: objects, body: { LastName: 'A' } },
    reply: { status: 201, body: done(idA) },
    expected: { ok: true, recordId: idA },
  },
  {
    name: 'create that says no inside a 2xx',
    act: () => salesforce.create({ ...contacts, fields: ada }),
    request: { method: 'POST', path: objects },
    reply: { status: 201, body: refusedItem('UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access') },
    expected: {
      ok: false,
      error: {
        class: 'unavailable',
        scope: 'record',
        message: 'UNABLE_TO_LOCK_ROW: unable to obtain exclusive access',
      },
    },
  },
  {
    name: 'update, without its id among the fields',
    act: () => salesforce.update({ ...contacts, recordId: idA, fields: { ID: idB, id: idB, LastName: 'King' } }),
    request: { method: 'PATCH', path: `${objects}/${idA}`, body: { LastName: 'King' } },
    reply: { status: 204 },
    expected: { ok: true, recordId: idA },
  },
  {
    name: 'batch create in part',
    act: () =>
      salesforce.createBatch({
        ...contacts,
        records: [{ fields: ada }, { fields: { attributes: { type: 'User' } } }],
      }),
    request: {
      method: 'POST',
      path: collections,
      body: {
        allOrNone: false,
        records: [{ ...adaSent, attributes: { type: 'Contact' } }, { attributes: { type: 'Contact' } }],
      },
    },
    reply: {
      status: 200,
      body: [done(idA), refusedItem('REQUIRED_FIELD_MISSING', 'Required fields are missing: [LastName]', ['LastName'])],
    },
    expected: [
      { ok: true, recordId: idA },
      {
        ok: false,
        error: {
          class: 'rejected',
          scope: 'record',
          message: 'REQUIRED_FIELD_MISSING: Required fields are missing: [LastName]',
        },
      },
    ],
  },
  {
    name: 'batch create refused whole',
    act: () => salesforce.createBatch({ ...contacts, records: [{ fields: ada }, { fields: ada }] }),
    request: { method: 'POST', path: collections },
    reply: { status: 400, body: refused('INVALID_TYPE', "sObject type 'Contact' is not supported") },
    expected: [1, 2].map(() => ({ ok: false, error: expect.objectContaining({ class: 'rejected', scope: 'call' }) })),
  },
  {
    name: 'batch create refused record by record with a 400',
    act: () => salesforce.createBatch({ ...contacts, records: [{ fields: ada }, { fields: ada }] }),
    request: { method: 'POST', path: collections },
    reply: { status: 400, body: [refusedItem('REQUIRED_FIELD_MISSING', 'one'), refusedItem('DUPLICATE_VALUE', 'two')] },
    expected: [
      { ok: false, error: { class: 'rejected', scope: 'record', message: 'REQUIRED_FIELD_MISSING: one' } },
      { ok: false, error: { class: 'conflict', scope: 'record', message: 'DUPLICATE_VALUE: two' } },
    ],
  },
  {
    name: 'batch update, all or none',
    act: () =>
      salesforce.updateBatch({
        ...contacts,
        records: [
          { recordId: idA, fields: { Id: idB, LastName: 'A' } },
          { recordId: idB, fields: { LastName: 'B' } },
        ],
        allOrNone: true,
      }),
    request: {
      method: 'PATCH',
      path: collections,
      body: {
        allOrNone: true,
        records: [
          { LastName: 'A', attributes: { type: 'Contact' }, id: idA },
          { LastName: 'B', attributes: { type: 'Contact' }, id: idB },
        ],
      },
    },
    reply: { status: 200, body: [done(idA), done(idB)] },
    expected: [
      { ok: true, recordId: idA },
      { ok: true, recordId: idB },
    ],
  },
  {
    name: 'batch update with an id of no form: the rest goes',
    act: () =>
      salesforce.updateBatch({
        ...contacts,
        records: [
          { recordId: '../x', fields: { LastName: 'A' } },
          { recordId: idB, fields: { LastName: 'B' } },
        ],
      }),
    request: {
      method: 'PATCH',
      path: collections,
      body: { allOrNone: false, records: [{ LastName: 'B', attributes: { type: 'Contact' }, id: idB }] },
    },
    reply: { status: 200, body: [done(idB)] },
    expected: [
      {
        ok: false,
        error: {
          class: 'rejected',
          scope: 'record',
          message: "id must be a Salesforce id of 15 or 18 letters and digits, not '../x'",
        },
      },
      { ok: true, recordId: idB },
    ],
  },
];

test.each(cases)('$name', async ({ act, request, reply, expected }) => {
  stub.replyWith(reply);
  expect(await act()).toEqual(expected);
  expect(stub.requests).toHaveLength(1);
  expect(stub.requests[0]).toMatchObject(request);
  const { body = stub.requests[0]?.body } = request;
  expect(stub.requests[0]?.body).toEqual(body);
  // The trace stays here: it is nobody's business at the provider.
  expect(stub.requests[0]?.headers).not.toHaveProperty('traceparent');
  expect(stub.requests[0]?.headers).toMatchObject({
    authorization: `Bearer ${auth.accessToken}`,
    accept: 'application/json',
  });
  expect(stub.requests[0]?.headers['content-type']).toBe(
    stub.requests[0]?.body === undefined ? undefined : 'application/json',
  );
});

test('a create that gets no reply in time', async () => {
  const impatient = open({ callTimeoutMs: impatientMs }).get('salesforce');
  stub.replyWith(silence);
  const error = { class: 'timeout', message: 'Salesforce sent no reply: no reply within 1500 ms' };
  expect(await impatient.create?.({ ...contacts, fields: {} })).toMatchObject({ ok: false, error });
});

describe('forwarded headers', () => {
  const headers = [
    { key: 'Sforce-Auto-Assign', value: 'FALSE' },
    { key: 'Sforce-Duplicate-Rule-Header', value: 'allowSave=true' },
  ];
  const writes: readonly [string, () => Promise<unknown>][] = [
    ['create', () => salesforce.create({ ...contacts, fields: ada, headers })],
    ['update', () => salesforce.update({ ...contacts, recordId: idA, fields: ada, headers })],
    ['delete', () => salesforce.delete({ ...contacts, recordId: idA, headers })],
    ['batch create', () => salesforce.createBatch({ ...contacts, records: [{ fields: ada }], headers })],
    ['batch update', () => salesforce.updateBatch({ ...contacts, records: [{ recordId: idA, fields: ada }], headers })],
  ];
  test.each(writes)('go along on %s', async (_, act) => {
    stub.replyWith({ status: 204 });
    await act();
    expect(stub.requests[0]?.headers).toMatchObject({
      'sforce-auto-assign': 'FALSE',
      'sforce-duplicate-rule-header': 'allowSave=true',
      authorization: `Bearer ${auth.accessToken}`,
    });
  });

  test('are refused without a call where they are ours', async () => {
    stub.replyWith({ status: 204 });
    const ours = [{ key: 'Authorization', value: 'evil' }];
    const result = await salesforce.create({ ...contacts, fields: ada, headers: ours });
    const error = { class: 'rejected', message: expect.stringContaining('Authorization') };
    expect(result).toMatchObject({ ok: false, error });
    expect(stub.requests).toEqual([]);
  });
});

describe('refused without a call', () => {
  test('a token that no header can carry', async () => {
    stub.replyWith({ status: 204 });
    const result = await salesforce.create({ ...contacts, auth: { ...auth, accessToken: 'a\nb' }, fields: ada });
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringContaining('the access token') } });
    expect(stub.requests).toEqual([]);
  });

  test('all or none with an id of no form: nothing of it', async () => {
    stub.replyWith({ status: 200, body: [done(idA)] });
    const records = ['x', idA].map((recordId) => ({ recordId, fields: ada }));
    const results = await salesforce.updateBatch({ ...contacts, records, allOrNone: true });
    expect(results.map(({ ok }) => ok)).toEqual([false, false]);
    expect(stub.requests).toEqual([]);
  });

  test('without the override, a workspace that is a host', async () => {
    const call = { auth: { ...auth, workspaceRef: 'evil.com/' }, objectName: 'Contact', fields: ada };
    const message = expect.stringContaining('providerWorkspaceRef must be labels');
    expect(await openDirect().get('salesforce').create?.(call)).toMatchObject({
      error: { class: 'rejected', message },
    });
    expect(stub.requests).toEqual([]);
  });

  test('more than 200 records are a defect', async () => {
    const records = Array.from({ length: 201 }, () => ({ fields: ada }));
    await expect(salesforce.createBatch({ ...contacts, records })).rejects.toThrow(DefectError);
  });
});
