import {
  accessOf,
  isSameWorkspace,
  metadataValues,
  type AccountAccess,
  type Connection,
  type Credentials,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { isRefusal, refuseOtherWorkspace, type ReportedAccount } from './learn-account';
import { contradiction } from '../refuse-issues';

/** Which account a changed connection would open. */
export interface ConnectionQuestion {
  readonly projectId: string;
  readonly connection: Connection;
  /** The workspace that the change names. */
  readonly given: string | undefined;
  /** Where the account is asked: the given workspace, else the connection's. */
  readonly place: string | undefined;
  /** Member of the body that is to blame. */
  readonly name: string;
  readonly traceparent: string;
}

/**
 * Asks the provider which account the connection would open, which must be the one that its lane was made for. A workspace that
 * is known to be another is refused before a token goes there.
 * @param credentials the new ones; absent: the stored ones are asked with
 * @throws ValidationError 422 for another account or workspace, and for what the provider refuses
 * @throws ProviderError when the provider cannot be asked now
 */
export async function accountOfConnection(
  context: ManagementContext,
  question: ConnectionQuestion,
  credentials: Credentials | undefined,
): Promise<ReportedAccount> {
  const { projectId, connection, given, place, name } = question;
  const known = await context.store.connections.findAccountRef({ projectId, connectionId: connection.id });
  refuseOther(known, given, 'connection.providerWorkspaceRef');
  const { providerMetadata: metadata } = connection;
  const auth = accessOf({
    credentials: credentials ?? (await context.installations.liveCredentials(projectId, connection.id)).credentials,
    ...(place === undefined ? {} : { workspaceRef: place }),
    ...(metadata === undefined ? {} : { metadata: metadataValues(metadata) }),
  });
  const account = await ask(context, question, auth);
  refuseOtherWorkspace(given, account.workspaceRef, 'connection.providerWorkspaceRef');
  // Nobody knew it when the lane was made: then the workspace of the connection counts, unless it is what changes.
  refuseOther(known ?? (given === undefined ? connection.providerWorkspaceRef : undefined), account.workspaceRef, name);
  return account;
}

async function ask(
  context: ManagementContext,
  { connection: { provider }, name, traceparent }: ConnectionQuestion,
  auth: AccountAccess,
): Promise<ReportedAccount> {
  try {
    return await context.connectors.get(provider).workspace({ auth, traceparent });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const detail = `is refused by ${provider}: ${error.detail.replace(/\.$/, '')}`;
    const remedy = 'Send what the provider accepts now.';
    throw contradiction({ code: 'connection.scheme-mismatch', name, detail, remedy });
  }
}

function refuseOther(account: string | undefined, opened: string | undefined, name: string): void {
  if (account === undefined || opened === undefined || isSameWorkspace(account, opened)) return;
  throw contradiction({
    code: 'connection.scheme-mismatch',
    name,
    detail: `opens the account ${opened}, and the connection belongs to ${account}`,
    remedy: 'Make another connection for another account, with POST connections:generate.',
  });
}
