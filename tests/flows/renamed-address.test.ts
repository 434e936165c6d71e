import { until } from '@sluice/testkit';
import type { Account, ProviderName } from '../harness/account';
import { createCustomer } from '../harness/customer';
import { startStack, type OwnStack } from '../harness/stack';

// The subdomain is the address. After a rename the old one is nobody's, and what waits must reach the new one, once.

let stack: OwnStack;
beforeAll(async () => {
  stack = await startStack({ declared: 'sandbox' });
});
afterAll(() => stack.stop());

interface Renamed {
  readonly provider: string;
  readonly object: string;
  readonly field: string;
  /** Of the 404 at the old address. */
  readonly body?: object;
  readonly credentialsOf: (account: Account) => object;
}

const noHelpDesk = { title: 'No help desk at acme.zendesk.com', message: 'There is no help desk configured here' };
const zendesk: Renamed = {
  provider: 'zendeskSupport',
  object: 'tickets',
  field: 'subject',
  body: { error: noHelpDesk },
  credentialsOf: ({ token }) => ({ oauth2AuthorizationCode: { accessToken: { token } } }),
};
const freshdesk: Renamed = {
  provider: 'freshdesk',
  object: 'contacts',
  field: 'name',
  credentialsOf: ({ token }) => ({ apiKey: token }),
};

/** At the old address every account waits for a minute, which no scale shortens: both at once. */
it('Zendesk and Freshdesk: waiting writes and history stay, and go to the new name', async () => {
  await Promise.all([zendesk, freshdesk].map(rename));
});

async function rename({ provider, object, field, body, credentialsOf }: Renamed): Promise<void> {
  const customer = await createCustomer(stack, {
    provider: provider as ProviderName,
    write: [object],
    credentials: (account) => ({ ...credentialsOf(account), providerWorkspaceRef: account.workspaceRef }),
  });
  const { account, project, connectionId, integrationId, installationId } = customer;
  const write = async (mark: string) => {
    const order = { type: 'create', mode: 'asynchronous', record: { [field]: mark } };
    return (await customer.write(object, { ...order, retryPolicy: { deadlineHours: 48 } })).body.operationId;
  };
  const before = await write('Before');
  expect(await customer.ended(before)).toMatchObject({ status: 'success' });
  await account.fault({ match: { method: 'POST' }, times: 0, action: { kind: 'status', status: 404, body } });
  const waiting = await Promise.all(['One', 'Two', 'Three'].map(write));
  await until('a write at the old address', async () => (await account.writes()).find(({ status }) => status === 404));
  const named = { providerWorkspaceRef: `${account.workspaceRef}-new`, ...credentialsOf(account) };
  await project.client.management.updateConnection({
    connectionId,
    body: { updateMask: Object.keys(named) as 'providerWorkspaceRef'[], connection: named },
  });
  await account.clearFaults();
  for (const each of waiting) expect(await customer.ended(each, 600_000)).toMatchObject({ status: 'success' });
  const marks = (await account.records(object)).map(({ fields }) => fields[field]);
  expect(marks.map(String).toSorted((one, other) => one.localeCompare(other))).toEqual([
    'Before',
    'One',
    'Three',
    'Two',
  ]);
  const { results } = await project.client.management.listOperations({ integrationId, installationId });
  expect(new Set(results.map(({ id }) => id))).toEqual(new Set([before, ...waiting]));
  expect(await customer.connection()).toMatchObject({
    id: connectionId,
    providerWorkspaceRef: named.providerWorkspaceRef,
  });
}
