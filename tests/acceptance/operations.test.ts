import { ask } from '../harness/api';
import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { badPerson, crms, person } from './crms';

const stack = sharedStack();

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

describe.each(crms)('%s: operations', (provider, crm) => {
  const { object } = crm;
  let customer: Customer;
  beforeEach(async () => {
    customer = await createCustomer(stack, { provider, write: [object] });
  });
  const accept = async (body: object): Promise<string> => {
    const reply = await customer.write(object, { type: 'create', mode: 'asynchronous', ...body });
    expect(reply.status).toBe(200);
    return reply.body.operationId;
  };
  const slowly = (delayMs: number) =>
    customer.account.fault({ match: { method: 'POST' }, action: { kind: 'slow', delayMs } });

  it('an accepted write is in progress, and a success when it was made [operation-status.asynchronous] [operation-status.success] [operation.status]', async () => {
    await slowly(4_000);
    const id = await accept({ record: person(crm, 'Success') });
    expect(await customer.operation(id)).toMatchObject({ status: 'in_progress' });
    expect(await customer.account.records(object)).toEqual([]);
    expect(await customer.ended(id)).toMatchObject({ status: 'success' });
    expect(await customer.account.records(object)).toHaveLength(1);
  });

  it('partial success with failed records is a success [operation-status.partial-success]', async () => {
    const batch = [{ record: person(crm, 'Good') }, { record: badPerson(crm, 'Bad') }];
    const { status, result } = await customer.ended(await accept({ batch }));
    expect(status).toBe('success');
    expect(result).toContain('1 failed');
    expect(await customer.account.records(object)).toHaveLength(1);
  });

  it('a final failure ends it as failure, with the error text [operation-status.failure] [operation.result] [errors.rule-3]', async () => {
    const id = await accept({ record: badPerson(crm, 'Bad') });
    const { status, result } = await customer.ended(id);
    expect(status).toBe('failure');
    // The same sentence that a synchronous write is answered with.
    const reply = await customer.write(object, { type: 'create', record: badPerson(crm, 'Bad') });
    expect(result).toBe(reply.body.errors[0]?.message);
  });

  it('a batch of which nothing was written is a failure [operation-status.failure]', async () => {
    const batch = [{ record: badPerson(crm, 'Bad-1') }, { record: badPerson(crm, 'Bad-2') }];
    const { status, result } = await customer.ended(await accept({ batch }));
    expect(status).toBe('failure');
    expect(result).toBeTruthy();
  });

  it('carries what the specification lists [operation.ids] [operation.action-type] [operation.resource] [operation.times] [service.timestamps] [get-operation.response]', async () => {
    const id = await accept({ record: person(crm, 'Members') });
    const operation = await customer.ended(id);
    const installation = await customer.installation();
    expect(operation).toMatchObject({
      id,
      projectId: customer.project.id,
      integrationId: customer.integrationId,
      installationId: installation.id,
      configId: installation.config.id,
      actionType: 'write',
      resource: object,
      status: 'success',
      result: expect.any(String),
      createTime: expect.stringMatching(moment),
      updateTime: expect.stringMatching(moment),
    });
    expect(Date.parse(operation.updateTime ?? '')).toBeGreaterThanOrEqual(Date.parse(operation.createTime ?? ''));
  });

  it('the latest operation is the lastOperationStatus of the installation [installation.last-operation-status]', async () => {
    expect(await customer.installation()).not.toHaveProperty('lastOperationStatus');
    await slowly(4_000);
    const id = await accept({ record: person(crm, 'Last') });
    expect(await customer.installation()).toMatchObject({ lastOperationStatus: 'in_progress' });
    await customer.ended(id);
    expect(await customer.installation()).toMatchObject({ lastOperationStatus: 'success' });
    await customer.ended(await accept({ record: badPerson(crm, 'Last') }));
    expect(await customer.installation()).toMatchObject({ lastOperationStatus: 'failure' });
  });

  it('failures in a row make the installation unhealthy, a success healthy [installation.health-status]', async () => {
    expect(await customer.installation()).toMatchObject({ healthStatus: 'healthy' });
    for (let time = 1; time <= 5; time += 1) {
      await customer.ended(await accept({ record: badPerson(crm, `Ill-${time}`) }));
    }
    expect(await customer.installation()).toMatchObject({ healthStatus: 'unhealthy' });
    await customer.ended(await accept({ record: person(crm, 'Well') }));
    expect(await customer.installation()).toMatchObject({ healthStatus: 'healthy' });
  });
});

it('is read under its project, with the key, by its id [get-operation.path] [versioning.rule-1]', async () => {
  const [[, crm]] = crms as [(typeof crms)[number]];
  const customer = await createCustomer(stack, { provider: crm.provider, write: [crm.object] });
  const { body } = await customer.write(crm.object, { type: 'create', record: person(crm, 'Path') });
  const url = `${stack.baseUrl}/projects/${customer.project.id}/operations/${body.operationId}`;
  expect(new URL(url).pathname).toMatch(/^\/v1\//);
  expect(await ask(url, { method: 'GET', key: customer.project.key })).toMatchObject({
    status: 200,
    body: { id: body.operationId, status: 'success' },
  });
  expect(await ask(url, { method: 'GET' })).toMatchObject({ status: 401 });
  const unknown = url.replace(body.operationId, '01a1fb19-d20c-7689-a391-719613643cf3');
  expect(await ask(unknown, { method: 'GET', key: customer.project.key })).toMatchObject({ status: 404 });
});
