import { until } from '@sluice/testkit';
import { call } from '../harness/api';
import { createAccount, type Account } from '../harness/account';
import { createCustomer, type Customer } from '../harness/customer';
import { createProject, credentialsOf } from '../harness/project';
import { sharedStack } from '../harness/shared-stack';
import { crms, person } from './crms';

const stack = sharedStack();

describe.each(crms)('%s: status of a connection [sec-44]', (provider, crm) => {
  const { object, last } = crm;
  const write = (customer: Customer, mark: string) =>
    customer.write(object, { type: 'create', record: person(crm, mark) });
  const statusOf = async (customer: Customer): Promise<string> => (await customer.connection()).status;

  /** A customer whose tokens can be refreshed, with the builder's app at the provider. */
  const refreshable = async (): Promise<Customer> => {
    const project = await createProject(stack);
    const account = await createAccount(stack, provider);
    const { clientId, clientSecret } = account;
    await call(`${project.url}/provider-apps`, { key: project.key, body: { provider, clientId, clientSecret } });
    return createCustomer(stack, { provider, read: [object], write: [object], project, account, credentials });
  };
  const credentials = (account: Account): object => ({
    ...credentialsOf(account),
    oauth2AuthorizationCode: { accessToken: { token: account.token }, refreshToken: { token: account.refreshToken } },
  });

  it('is created when it was just made, and working after a request [connection-status.created] [connection-status.working]', async () => {
    const customer = await createCustomer(stack, { provider, write: [object] });
    expect(await statusOf(customer)).toBe('created');
    expect(await write(customer, 'First')).toMatchObject({ status: 200 });
    expect(await statusOf(customer)).toBe('working');
  });

  it('is working after a search, and after an asynchronous write [connection-status.working]', async () => {
    const searching = await createCustomer(stack, { provider, read: [object] });
    expect(await searching.search(object, { [last]: 'Nobody' })).toMatchObject({ status: 200 });
    expect(await statusOf(searching)).toBe('working');
    const writing = await createCustomer(stack, { provider, write: [object] });
    const body = { type: 'create', mode: 'asynchronous', record: person(crm, 'Async') };
    await writing.ended((await writing.write(object, body)).body.operationId);
    expect(await statusOf(writing)).toBe('working');
  });

  it('is bad_credentials when a request hits credential problems, and the installation unhealthy [connection-status.bad-request] [installation.health-status] [connection.status]', async () => {
    const customer = await createCustomer(stack, { provider, write: [object] });
    await customer.account.revoke();
    const reply = await write(customer, 'Refused');
    expect(reply.status).toBe(409);
    expect(await statusOf(customer)).toBe('bad_credentials');
    expect(await customer.installation()).toMatchObject({ healthStatus: 'unhealthy' });
  });

  it('is bad_credentials also when an asynchronous write hits them [connection-status.bad-request]', async () => {
    const customer = await createCustomer(stack, { provider, write: [object] });
    await customer.account.revoke();
    const body = { type: 'create', mode: 'asynchronous', record: person(crm, 'Async') };
    const { operationId } = (await customer.write(object, body)).body;
    await until('the executor has met the refusal', async () =>
      (await statusOf(customer)) === 'bad_credentials' ? true : undefined,
    );
    // Held back until new credentials come or the deadline passes.
    expect(await customer.operation(operationId)).toMatchObject({ status: 'in_progress' });
  });

  it('stays as it is when the provider is down [connection-status.bad-request]', async () => {
    const customer = await createCustomer(stack, { provider, write: [object] });
    await write(customer, 'Up');
    await customer.account.fault({ match: { method: 'POST' }, action: { kind: 'status', status: 503 }, times: 1 });
    expect((await write(customer, 'Down')).status).toBeGreaterThanOrEqual(500);
    expect(await statusOf(customer)).toBe('working');
  });

  it('an expired token is refreshed and the write is made, without the caller noticing [connection-status.refreshed] [connection-status.working]', async () => {
    const customer = await refreshable();
    expect(await write(customer, 'Before')).toMatchObject({ status: 200 });
    await customer.account.expireToken();
    expect(await write(customer, 'After')).toMatchObject({ status: 200, body: { result: { success: true } } });
    expect(await customer.account.records(object)).toHaveLength(2);
    expect(await statusOf(customer)).toBe('working');
  });

  it('a search and an asynchronous write refresh too [connection-status.refreshed]', async () => {
    const customer = await refreshable();
    await customer.account.expireToken();
    expect(await customer.search(object, { [last]: 'Nobody' })).toMatchObject({ status: 200 });
    await customer.account.expireToken();
    const body = { type: 'create', mode: 'asynchronous', record: person(crm, 'Async') };
    const { operationId } = (await customer.write(object, body)).body;
    expect(await customer.ended(operationId)).toMatchObject({ status: 'success' });
  });

  it('is created when its token was just refreshed and no request has succeeded since [connection-status.refreshed]', async () => {
    const customer = await refreshable();
    expect(await write(customer, 'Before')).toMatchObject({ status: 200 });
    expect(await statusOf(customer)).toBe('working');
    await customer.account.expireToken();
    // Calls with an expired token meet no fault: this one hits the call after the refresh.
    const match = { method: 'POST', path: provider === 'hubspot' ? '/crm' : '/services/data' };
    await customer.account.fault({ match, action: { kind: 'status', status: 503 }, times: 1 });
    expect((await write(customer, 'Down')).status).toBeGreaterThanOrEqual(500);
    expect(await statusOf(customer)).toBe('created');
  });

  it('is bad_credentials when the refresh is refused [connection-status.bad-refresh]', async () => {
    const customer = await refreshable();
    expect(await write(customer, 'Before')).toMatchObject({ status: 200 });
    await customer.account.revoke();
    expect((await write(customer, 'After')).status).toBe(409);
    expect(await statusOf(customer)).toBe('bad_credentials');
    expect(await customer.account.records(object)).toHaveLength(1);
  });
});
