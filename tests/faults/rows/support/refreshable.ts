import { call } from '../../../harness/api';
import { createAccount, type Account, type ProviderName } from '../../../harness/account';
import { createCustomer, type Customer } from '../../../harness/customer';
import { createProject, credentialsOf } from '../../../harness/project';
import { objectOf } from '../../harness/send-write';
import type { World } from '../../harness/world';
import { readLedger } from '../../harness/provider-effects';

/**
 * A customer in a project of his own whose tokens can be refreshed, each refresh token good once.
 * @param graceMs how long the provider still takes a refresh token that it replaced
 */
export async function refreshableCustomer(world: World, provider: ProviderName, graceMs: number): Promise<Customer> {
  const { stack } = world;
  const project = await createProject(stack);
  const limits = { perDay: 0, perTenSeconds: 100_000, searchesPerSecond: 0 };
  const options = { latencyMs: 15, limits, rotateRefreshTokens: true, refreshTokenGraceMs: graceMs };
  const account = await createAccount(stack, provider, options);
  const { clientId, clientSecret } = account;
  await call(`${project.url}/provider-apps`, { key: project.key, body: { provider, clientId, clientSecret } });
  const objects = [objectOf(provider)];
  return await createCustomer(stack, { provider, project, account, read: objects, write: objects, credentials });
}

function credentials(account: Account): object {
  const tokens = { accessToken: { token: account.token }, refreshToken: { token: account.refreshToken } };
  return { ...credentialsOf(account), oauth2AuthorizationCode: tokens };
}

/** Token requests that the provider received: those it gave tokens for, and those it refused. */
export async function tokenRequests(world: World, account: Account, sinceSeq: number) {
  const requests = (await readLedger(world, account, sinceSeq)).filter(({ action }) => action === 'token');
  return {
    given: requests.filter(({ status }) => status === 200).length,
    refused: requests.filter(({ status }) => status >= 400).length,
  };
}
