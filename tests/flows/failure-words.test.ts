import { createAccount, type ProviderName } from '../harness/account';
import { call } from '../harness/api';
import { allow, oauthConnect, visit } from '../harness/browser';
import { createCustomer, type Customer, type CustomerOptions } from '../harness/customer';
import { createProject, credentialsOf } from '../harness/project';
import { startStack, type OwnStack } from '../harness/stack';

/** What a provider says in words decides, whatever its status: through the running services. */
let stack: OwnStack;
beforeAll(async () => {
  stack = await startStack({ declared: 'sandbox' });
});
afterAll(() => stack.stop());

const zoho = 'zoho' as ProviderName;
const zendesk = 'zendeskSupport' as ProviderName;
const tokenPaths = { salesforce: '/services/oauth2/token', zoho: '/rest/zoho/oauth/v2/token' };

/** A customer whose tokens can be refreshed. */
async function refreshable(options: CustomerOptions): Promise<Customer> {
  const { provider } = options;
  const [project, account] = [await createProject(stack), await createAccount(stack, provider)];
  const { clientId, clientSecret, token, refreshToken } = account;
  await call(`${project.url}/provider-apps`, { key: project.key, body: { provider, clientId, clientSecret } });
  const tokens = { accessToken: { token }, refreshToken: { token: refreshToken } };
  const subdomain = provider === zendesk && { providerWorkspaceRef: 'acme' };
  const credentials = () => ({ ...credentialsOf(account), ...subdomain, oauth2AuthorizationCode: tokens });
  return await createCustomer(stack, { ...options, project, account, credentials });
}

const answer = (
  customer: Customer,
  match: object,
  times: number,
  reply: { readonly status: number; readonly body: unknown },
) => customer.account.fault({ times, match, action: { kind: 'status', ...reply } });
const statusOf = async (customer: Customer) => (await customer.connection()).status;
const asynchronous = { type: 'create', mode: 'asynchronous' };

describe('salesforce: a refresh that is refused while another is under way', () => {
  const write = { objectName: 'Account' };
  const refuse = (customer: Customer, times: number, error_description: string) =>
    answer(customer, { path: tokenPaths.salesforce }, times, {
      status: 400,
      body: { error: 'invalid_grant', error_description },
    });

  it.each(['token request is already being processed', 'expired authorization code', 'Another refresh is in progress'])(
    '%s: the writes wait, and the connection stays',
    async (words) => {
      const customer = await refreshable({ provider: 'salesforce', write: [write] });
      await refuse(customer, 3, words);
      await customer.account.expireToken();
      const reply = await customer.write('Account', { type: 'create', record: { Name: 'now' } });
      expect(reply).toMatchObject({ status: 502, body: { retryable: true } });
      const names = Array.from({ length: 10 }, (_, at) => ({ record: { Name: `later-${at}` } }));
      const { body } = await customer.write('Account', { ...asynchronous, batch: names });
      expect(await customer.ended(body.operationId)).toMatchObject({ status: 'success' });
      expect(await customer.account.records('Account')).toHaveLength(10);
      expect(await statusOf(customer)).toBe('working');
    },
  );

  it('a token that was just given is refused for some seconds: the write waits, and the connection stays', async () => {
    const customer = await refreshable({ provider: 'salesforce', write: [write] });
    const body = [{ errorCode: 'INVALID_SESSION_ID', message: 'Session expired or invalid' }];
    await answer(customer, { method: 'POST', path: '^/services/data/' }, 4, { status: 401, body });
    const { operationId } = (await customer.write('Account', { ...asynchronous, record: { Name: 'A' } })).body;
    expect(await customer.ended(operationId)).toMatchObject({ status: 'success' });
    expect(await customer.account.records('Account')).toHaveLength(1);
    expect(await statusOf(customer)).toBe('working');
  });

  it('the grant that has ended ends the connection', async () => {
    const customer = await refreshable({ provider: 'salesforce', write: [write] });
    await refuse(customer, 0, 'expired access/refresh token');
    await customer.account.expireToken();
    const reply = await customer.write('Account', { type: 'create', record: { Name: 'now' } });
    expect(reply).toMatchObject({ status: 409, body: { retryable: false } });
    expect(await statusOf(customer)).toBe('bad_credentials');
  });
});

describe('zoho: an error inside a 200', () => {
  it.each([
    ['invalid_code', 409, /connect again/, 'bad_credentials'],
    ['invalid_client', 502, /refuses the provider app/, 'created'],
    ['invalid_client_secret', 502, /refuses the provider app/, 'created'],
    [undefined, 502, /gave no token/, 'created'],
  ])('of a refresh: %s', async (error, status, words, expected) => {
    const customer = await refreshable({ provider: zoho, write: [{ objectName: 'Leads' }] });
    await answer(customer, { path: tokenPaths.zoho }, 0, { status: 200, body: { error } });
    await customer.account.expireToken();
    const reply = await customer.write('Leads', { type: 'create', record: { Last_Name: 'A' } });
    expect(reply).toMatchObject({ status, body: { detail: expect.stringMatching(words) } });
    expect(await statusOf(customer)).toBe(expected);
  });

  it('of the exchange of a code: the customer connects again', async () => {
    const [project, account] = [await createProject(stack), await createAccount(stack, zoho)];
    const { clientId, clientSecret } = account;
    await call(`${project.url}/provider-apps`, { key: project.key, body: { provider: zoho, clientId, clientSecret } });
    const action = { kind: 'status', status: 200, body: { error: 'invalid_code' } };
    await account.fault({ match: { path: tokenPaths.zoho }, action });
    const { url } = await oauthConnect(stack, project, { provider: zoho, groupRef: 'g' });
    const { message } = await visit(await allow(url, account));
    expect(message).toMatchObject({ eventType: 'AUTHORIZATION_FAILED', data: { error: /connect again/ } });
  });
});

describe('zendesk', () => {
  const conflict = { error: 'UpdateConflict', description: 'Safe Update prevented the update' };

  it.each([
    { error: 'DatabaseConflict', description: 'Database collision' },
    { error: 'DatabaseDeadlock', description: 'Deadlock found' },
  ])('$error passes by itself', async (body) => {
    const customer = await refreshable({ provider: zendesk, write: [{ objectName: 'tickets' }] });
    const made = await customer.write('tickets', { type: 'create', record: { subject: 'A' } });
    const record = { id: made.body.result.recordId, status: 'open' };
    await answer(customer, { method: 'PUT' }, 1, { status: 409, body });
    expect(await customer.write('tickets', { type: 'update', record })).toMatchObject({ body: { retryable: true } });
    await answer(customer, { method: 'PUT' }, 1, { status: 409, body });
    const { operationId } = (await customer.write('tickets', { ...asynchronous, type: 'update', record })).body;
    expect(await customer.ended(operationId)).toMatchObject({ status: 'success' });
    await answer(customer, { method: 'PUT' }, 0, { status: 409, body: conflict });
    const last = (await customer.write('tickets', { ...asynchronous, type: 'update', record })).body;
    await customer.ended(last.operationId);
    expect(await customer.recordsOf(last.operationId)).toMatchObject([{ error: { class: 'conflict' } }]);
  });

  it('the reason under the name of a field reaches the caller under the name that was sent', async () => {
    const mail = { fieldName: 'email', mapToName: 'mail' };
    const read = [{ objectName: 'users', requiredFields: [{ fieldName: 'name' }, mail] }];
    const write = [{ objectName: 'users', inheritMapping: true }];
    const customer = await refreshable({ provider: zendesk, read, write });
    const taken = { description: 'Email: a@b.co is already being used by another user', error: 'DuplicateValue' };
    const refusal = { error: 'RecordInvalid', description: 'Record validation errors', details: { email: [taken] } };
    await answer(customer, { method: 'POST' }, 0, { status: 422, body: refusal });
    const record = { name: 'A', mail: 'a@b.co' };
    const reply = await customer.write('users', { type: 'create', record });
    expect([reply.status, JSON.stringify(reply.body)]).toEqual([
      422,
      expect.stringMatching(/"mail: Email: a@b.co is already/),
    ]);
    const { operationId } = (await customer.write('users', { ...asynchronous, record })).body;
    await customer.ended(operationId);
    expect(await customer.recordsOf(operationId)).toMatchObject([{ error: { class: 'conflict' } }]);
  });
});
