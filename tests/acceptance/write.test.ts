import { ask } from '../harness/api';
import { createCustomer, type Customer, type WriteReply } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { badPerson, crms, hubspot, person } from './crms';

const stack = sharedStack();

describe.each(crms)('%s: write records', (provider, crm) => {
  const { object, first, last, email } = crm;
  let customer: Customer;
  beforeAll(async () => {
    customer = await createCustomer(stack, { provider, read: [object], write: [object] });
  });
  const storedAs = async (mark: string) =>
    (await customer.account.records(object)).filter(({ fields }) => fields[last] === mark);

  it("a synchronous write reaches the customer's account at once and answers with the record [service.rule-3] [write.response-synchronous] [write.record]", async () => {
    const before = await customer.account.writes();
    const record = person(crm, 'Sync', { [first]: 'Žofie 😀' });
    const reply = await customer.write(object, { type: 'create', mode: 'synchronous', record });
    expect(reply).toMatchObject({ status: 200, body: { result: { success: true } } });
    const [stored] = await storedAs('Sync');
    expect(stored?.fields).toMatchObject({ [email]: 'sync@example.com', [first]: 'Žofie 😀' });
    expect(reply.body.result.recordId).toBe(stored?.id);
    expect(JSON.stringify(reply.body.result.data)).toContain('Žofie 😀');
    // One call of this customer's own quota.
    expect((await customer.account.writes()).length - before.length).toBe(1);
  });

  it('the id in the create response updates the record [write.rule-2-created] [write.record-update-id] [write.type]', async () => {
    const created = await customer.write(object, { type: 'create', record: person(crm, 'Known') });
    const id = created.body.result.recordId;
    const reply = await customer.write(object, { type: 'update', record: { id, [first]: 'Zoë' } });
    expect(reply).toMatchObject({ status: 200, body: { result: { success: true, recordId: id } } });
    expect((await customer.account.record(object, id))?.fields).toMatchObject({ [first]: 'Zoë', [last]: 'Known' });
  });

  it('the id of a record that was read updates it [write.rule-2-read] [search-result.id]', async () => {
    await customer.write(object, { type: 'create', record: person(crm, 'Read') });
    const { body } = await customer.search(object, { [last]: 'Read' });
    const id = body.results[0]?.id ?? '';
    expect(await customer.write(object, { type: 'update', record: { id, [first]: 'Zoë' } })).toMatchObject({
      status: 200,
    });
    expect((await customer.account.record(object, id))?.fields[first]).toBe('Zoë');
  });

  it('an update without the id of the record is refused [write.rule-2] [write.record-update-id]', async () => {
    const before = (await customer.account.calls()).length;
    const reply = await customer.write(object, { type: 'update', record: { [first]: 'Zoë' } });
    expect(reply).toMatchObject({ status: 400, body: { issues: [{ name: 'record.id' }] } });
    const batch = [{ record: { [first]: 'Zoë' } }];
    expect(await customer.write(object, { type: 'update', batch })).toMatchObject({ status: 400 });
    expect((await customer.account.calls()).length).toBe(before);
  });

  it('an update of a record that does not exist fails [write.rule-2] [errors.rule-2]', async () => {
    const record = { id: crm.absentId, [first]: 'Zoë' };
    const reply = await customer.write(object, { type: 'update', record });
    expect(reply).toMatchObject({ status: 422, body: { result: { success: false } } });
    expect(reply.body.errors[0]?.message).toBeTruthy();
  });

  it('a synchronous write that the provider refuses answers with an error [write.response-failed] [errors.rule-2]', async () => {
    const reply = await customer.write(object, { type: 'create', record: badPerson(crm, 'Bad') });
    expect(reply).toMatchObject({ status: 422, body: { result: { success: false } } });
    expect(reply.body.errors[0]?.message).toBeTruthy();
    expect(reply.body.result).not.toHaveProperty('recordId');
    expect(await storedAs('Bad')).toEqual([]);
  });

  it('a refusal names the field as data, in the reply and with the records of the operation [errors.rule-2]', async () => {
    const record = badPerson(crm, 'Named');
    const named = { field: email, providerField: email, code: expect.any(String), message: expect.any(String) };
    const single = await customer.write(object, { type: 'create', record });
    expect(single.body.problems).toEqual([{ ...named, value: record[email] }]);
    const batch = [{ record: person(crm, 'Whole') }, { record }];
    const { results } = (await customer.write(object, { type: 'create', batch })).body;
    expect(results.map(({ problems }) => problems)).toEqual([undefined, single.body.problems]);
    const later = await customer.write(object, { type: 'create', mode: 'asynchronous', record });
    expect((await customer.ended(later.body.operationId)).status).toBe('failure');
    expect((await customer.recordsOf(later.body.operationId)).map(({ problems }) => problems)).toEqual([[named]]);
  });

  it('an asynchronous write answers with the operation id, and is made later [write.response-asynchronous] [service.rule-6] [write.mode]', async () => {
    await customer.account.fault({ match: { method: 'POST' }, action: { kind: 'slow', delayMs: 1_200 } });
    const reply = await customer.write(object, { type: 'create', mode: 'asynchronous', record: person(crm, 'Async') });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ operationId: expect.any(String) });
    expect(await storedAs('Async')).toEqual([]);
    expect(await customer.ended(reply.body.operationId)).toMatchObject({ status: 'success' });
    expect(await storedAs('Async')).toHaveLength(1);
  });

  it('an asynchronous batch is one operation of all its records [write.batch] [write.response-asynchronous]', async () => {
    const batch = [1, 2, 3].map((index) => ({ record: person(crm, `AsyncBatch-${index}`) }));
    const { body } = await customer.write(object, { type: 'create', mode: 'asynchronous', batch });
    expect(await customer.ended(body.operationId)).toMatchObject({ status: 'success' });
    expect(await customer.recordsOf(body.operationId)).toHaveLength(3);
    for (const { record } of batch) expect(await storedAs(String(record[last]))).toHaveLength(1);
  });

  it('validation comes first, also for an asynchronous write [write.response-asynchronous]', async () => {
    const reply = await customer.write(object, { type: 'update', mode: 'asynchronous', record: { [first]: 'x' } });
    expect(reply.status).toBe(400);
    expect(reply.body).not.toHaveProperty('operationId');
  });

  it('groupRef chooses the installation, and with it the account [write.group-ref]', async () => {
    const other = await createCustomer(stack, { provider, write: [object], project: customer.project });
    await other.write(object, { type: 'create', record: person(crm, 'Other') });
    expect(await storedAs('Other')).toEqual([]);
    expect(await other.account.records(object)).toHaveLength(1);
    const stranger = { groupRef: 'nobody', type: 'create', record: person(crm, 'Nobody') };
    expect(await customer.write(object, stranger)).toMatchObject({ status: 404 });
    expect(await customer.write(object, { ...stranger, groupRef: undefined })).toMatchObject({ status: 400 });
  });
});

describe('the form of a write', () => {
  let customer: Customer;
  const record = person(hubspot, 'Form');
  beforeAll(async () => {
    customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'] });
  });

  it.each([
    ['type [write.type]', 'type', { type: 'upsert', record }],
    ['type [write.type]', 'type', { record }],
    ['mode [write.mode]', 'mode', { type: 'create', mode: 'later', record }],
    ['record [write.record]', 'record', { type: 'create', record: ['a'] }],
    ['record beside batch [write.batch]', 'batch', { type: 'create', record, batch: [{ record }] }],
    ['neither record nor batch [write.batch]', 'record', { type: 'create' }],
    ['a batch item without a record [write.batch]', 'batch[0].record', { type: 'create', batch: [{}] }],
  ])('is refused for %s', async (_case, name, body) => {
    const reply = await customer.write('contacts', body);
    expect(reply.status).toBe(400);
    expect(reply.body.issues.map((issue) => issue.name)).toContain(name);
    expect(await customer.account.calls()).toHaveLength(1);
  });

  it('the address names project by id or name, integration and object, under /v1 [write.path] [versioning.rule-1]', async () => {
    const { project, integrationId, groupRef } = customer;
    for (const [index, name] of [project.id, project.name].entries()) {
      const url = `${stack.writeUrl}/projects/${name}/integrations/${integrationId}/objects/contacts`;
      expect(new URL(url).pathname).toMatch(/^\/v1\//);
      const body = { groupRef, type: 'create', record: person(hubspot, `Path-${index}`) };
      expect(await ask<WriteReply>(url, { key: project.key, body })).toMatchObject({ status: 200 });
      expect(await ask(url.replace('/v1/', '/'), { key: project.key, body })).toMatchObject({ status: 404 });
    }
    const unknown = `${stack.writeUrl}/projects/${project.id}/integrations/none/objects/contacts`;
    expect(await ask(unknown, { key: project.key, body: { groupRef, type: 'create', record } })).toMatchObject({
      status: 404,
    });
  });

  it('bodies are JSON, said by the content type [service.json-bodies]', async () => {
    const { project, integrationId, groupRef } = customer;
    const url = `${stack.writeUrl}/projects/${project.id}/integrations/${integrationId}/objects/contacts`;
    const body = { groupRef, type: 'create', record: person(hubspot, 'Json') };
    const reply = await ask(url, { key: project.key, body });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    const headers = { 'content-type': 'text/plain' };
    expect(await ask(url, { key: project.key, body, headers })).toMatchObject({ status: 415 });
  });
});
