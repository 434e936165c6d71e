import { RequestError } from '@sluice/errors';
import type { StoredConnectSession } from '@sluice/store';
import type { Caller, ConfigContent, Installation, Integration } from '@sluice/types';
import type { ManagementContext } from '../context';
import { createInstallation } from '../installations/change-installation';
import { found } from '../refusals';
import { hasChoices, isChoiceMissing } from './choices';
import { unknownSession } from './session-access';

/** Whoever uses a session acts for its group and as its user, as a bearer token of theirs would. */
export function callerOf({ id, projectId, groupRef, consumerRef }: StoredConnectSession): Caller {
  return { kind: 'token', keyId: `connect-session:${id}`, projectId, scopes: [], groupRef, consumerRef };
}

/** @throws NotFoundError `integration.not-found` when it was deleted meanwhile */
export async function integrationOf(
  { store }: ManagementContext,
  { projectId, integrationId }: StoredConnectSession,
): Promise<Integration> {
  return found(await store.integrations.find(projectId, integrationId), 'integration.not-found');
}

/** What the page says where another link, or the builder, connected the group after this one was opened. */
export const connectedMeanwhile = 'The group was connected with another link meanwhile. What you gave is not used.';

/** What the session's group has of the integration. Undefined: nothing yet. */
export async function installationOf(
  { store }: ManagementContext,
  { projectId, integrationId, groupRef }: Pick<StoredConnectSession, 'projectId' | 'integrationId' | 'groupRef'>,
): Promise<Installation | undefined> {
  const [installation] = await store.installations.list(projectId, { integrationId, groupRef });
  return installation;
}

/**
 * Goes on with a session as far as it can without a person. Each effect is committed before the next one begins:
 *
 * 1. The connection is stored, and the session notes it, in one transaction (`noteConnected`), before this is called.
 * 2. The integration is installed with that connection, unless a required choice is missing: then the page asks for it.
 * 3. The session notes the installation. It is used up, unless there are optional fields to choose.
 *
 * No tab takes part: 1 happens in the request that brings the code or the credentials, and 2 and 3 follow in it, also when the browser has gone. If the
 * process dies in between, the next load of the page comes here again. An installation that is there already, made by this session or not, is taken as
 * it is, so whoever comes second changes nothing; one with another connection is not the session's. A refusal is kept for the page.
 */
export async function installSession(
  context: ManagementContext,
  session: StoredConnectSession,
  traceparent: string,
): Promise<StoredConnectSession> {
  const { connectionId, installationId, usedTime } = session;
  if (connectionId === undefined || installationId !== undefined || usedTime !== undefined) return session;
  try {
    const integration = await integrationOf(context, session);
    const known = await installationOf(context, session);
    if (known === undefined && isChoiceMissing(integration, undefined)) return session;
    const installation = known ?? (await install(context, session, { integration, traceparent }));
    if (installation.connection.id !== connectionId) return await disconnect(context, session);
    // One that was there before the session was made is connected again, and nothing else.
    const isNew = Date.parse(installation.createTime) >= Date.parse(session.createTime);
    return await noteInstalled(context, session, { installation, isUsed: !isNew || !hasChoices(integration) });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return await noteFailure(context, session, error.detail);
  }
}

/** The installation with what was chosen, or with the defaults of the manifest. Of two at once one makes it. */
export async function install(
  context: ManagementContext,
  session: StoredConnectSession,
  order: { readonly integration: Integration; readonly traceparent: string; readonly content?: ConfigContent },
): Promise<Installation> {
  const { groupRef, connectionId } = session;
  const { integration, traceparent, content = { provider: integration.provider } } = order;
  try {
    const body = { groupRef, connectionId, config: { content } };
    // The fields were checked, or none is named.
    const query = { skipSampling: true };
    const request = { caller: callerOf(session), body, query, traceparent };
    return (await createInstallation(context, integration, request)).installation;
  } catch (error) {
    const other = error instanceof RequestError && error.code === 'installation.exists';
    const known = other ? await installationOf(context, session) : undefined;
    if (known === undefined) throw error;
    return known;
  }
}

/**
 * Other links of the group may have an account that waits for a choice: nothing will use it any more.
 * @returns the session as it is then
 */
export async function noteInstalled(
  context: ManagementContext,
  session: StoredConnectSession,
  { installation, isUsed }: { readonly installation: Installation; readonly isUsed: boolean },
): Promise<StoredConnectSession> {
  const { projectId, id: connectSessionId, failure } = session;
  const { connectSessions } = context.store;
  // What another tab was told meanwhile stays.
  const change = { installationId: installation.id, isUsed, ...(failure !== undefined && { failure: null }) };
  await connectSessions.change(session, change);
  context.logger.info({ projectId, connectSessionId, installationId: installation.id }, 'connect-session.installed');
  for (const other of await connectSessions.listOthers(session, installation.connection.id))
    await disconnect(context, other);
  return await reload(context, session);
}

type Key = Pick<StoredConnectSession, 'projectId' | 'id'>;

/** Takes back what a session has connected, because its group uses another connection. @returns the session as it is then */
async function disconnect(context: ManagementContext, session: Key): Promise<StoredConnectSession> {
  logFailure(context, session, connectedMeanwhile);
  await context.store.connectSessions.disconnect(session, connectedMeanwhile);
  return await reload(context, session);
}

/** Keeps the reason for the page, which the browser may load in another tab. @returns the session as it is then */
export async function noteFailure(
  context: ManagementContext,
  session: Key,
  failure: string,
): Promise<StoredConnectSession> {
  logFailure(context, session, failure);
  await context.store.connectSessions.change(session, { failure });
  return await reload(context, session);
}

function logFailure({ logger }: ManagementContext, { projectId, id: connectSessionId }: Key, reason: string): void {
  logger.warn({ projectId, connectSessionId, reason }, 'connect-session.failed');
}

/** @throws NotFoundError when it was deleted meanwhile */
export async function reload({ store }: ManagementContext, session: Key): Promise<StoredConnectSession> {
  const now = await store.connectSessions.find(session);
  if (now === undefined) throw unknownSession();
  return now;
}
