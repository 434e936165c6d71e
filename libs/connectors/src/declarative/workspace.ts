import type { ProviderCall } from '../requests';
import type { Workspace } from '../results';
import { toProviderError } from '../thrown-failure';
import type { DeclaredApi } from './call-provider';
import { idAt } from './pointer';

/**
 * Whose account it is, by the file's `account`. Where a reply names no workspace, it is the one that the connection names: its
 * address has just taken the credentials.
 * @throws ProviderError
 */
export async function workspace(api: DeclaredApi, call: ProviderCall): Promise<Workspace> {
  const { account, name, displayName } = api.file;
  const answer = await api.call({ operation: 'account', method: 'GET', path: account.path, texts: {} }, call);
  if (!answer.ok) throw toProviderError(answer.failure, name);
  const consumerRef = account.consumer === undefined ? undefined : idAt(answer.body, account.consumer);
  const workspaceRef = account.workspace === undefined ? call.auth.workspaceRef : idAt(answer.body, account.workspace);
  if (workspaceRef !== undefined) return { workspaceRef, ...(consumerRef !== undefined && { consumerRef }) };
  const message = `${displayName} answered without the account's id`;
  throw toProviderError({ class: 'unavailable', scope: 'call', message }, name);
}
