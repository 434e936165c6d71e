import { DefectError } from '@sluice/errors';
import type { ProviderStub } from '../../test/provider-stub';
import { auth, collections, contacts, done, idA, idB, refusedItem } from '../../test/salesforce-replies';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector } from '../connector';

let stub: ProviderStub;
let salesforce: Required<Connector>;
const { openDirect } = useStubbedConnectors((opened) => ({ stub, salesforce } = opened));

const ada = { LastName: 'Lovelace', Email: null };

test('a create that says no inside a 2xx', async () => {
  stub.replyWith({ status: 201, body: refusedItem('UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access') });
  const message = 'UNABLE_TO_LOCK_ROW: unable to obtain exclusive access';
  const error = { class: 'unavailable', scope: 'record', message };
  expect(await salesforce.create({ ...contacts, fields: ada })).toEqual({ ok: false, error });
});

const refusal = (failed: string, problem: { readonly code: string; readonly message: string }) => ({
  ok: false,
  error: { class: failed, scope: 'record', message: `${problem.code}: ${problem.message}`, problems: [problem] },
});

test('a batch create that is refused record by record with a 400', async () => {
  const body = [refusedItem('REQUIRED_FIELD_MISSING', 'one'), refusedItem('DUPLICATE_VALUE', 'two')];
  stub.replyWith({ status: 400, body });
  expect(await salesforce.createBatch({ ...contacts, records: [{ fields: ada }, { fields: ada }] })).toEqual([
    refusal('rejected', { code: 'REQUIRED_FIELD_MISSING', message: 'one' }),
    refusal('conflict', { code: 'DUPLICATE_VALUE', message: 'two' }),
  ]);
});

test('a batch update with an id of no form: the rest goes', async () => {
  stub.replyWith({ status: 200, body: [done(idB)] });
  const records = ['../x', idB].map((recordId) => ({ recordId, fields: { LastName: 'B' } }));
  const message = "id must be a Salesforce id of 15 or 18 letters and digits, not '../x'";
  expect(await salesforce.updateBatch({ ...contacts, records })).toEqual([
    { ok: false, error: { class: 'rejected', scope: 'record', message } },
    { ok: true, recordId: idB },
  ]);
  const body = { allOrNone: false, records: [{ LastName: 'B', attributes: { type: 'Contact' }, id: idB }] };
  expect(stub.requests).toMatchObject([{ method: 'PATCH', path: collections, body }]);
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
