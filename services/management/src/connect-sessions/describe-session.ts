import { fieldOfObject, type Connector } from '@sluice/connectors';
import { NotFoundError, ProviderError } from '@sluice/errors';
import type { StoredConnectSession } from '@sluice/store';
import type { HeldBytes } from '@sluice/telemetry';
import type {
  AuthScheme,
  ConnectField,
  ConnectInput,
  ConnectMapping,
  ConnectObject,
  ConnectState,
  ConnectView,
  ConnectViewSession,
  ConnectWay,
  Connection,
  ObjectMetadata,
  Project,
  ReadObjectConfig,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { describeObject, findField } from '../integrations/object-metadata';
import { hasChoices, offeredOf, type Offered } from './choices';
import { installationOf, integrationOf } from './install-session';
import type { Standing } from './session-access';

const typed = {
  apiKey: 'apiKey',
  basicAuth: 'basic',
  oauth2ClientCredentials: 'oauth2/clientCredentials',
  oauth2PasswordCredentials: 'oauth2/password',
} as const satisfies Partial<Record<ConnectWay, AuthScheme>>;
const schemes: Readonly<Record<ConnectWay, AuthScheme>> = { page: 'oauth2/authorizationCode', ...typed };

/**
 * How a customer can give access, by what the provider takes and the project has an app for: the provider's page before all that is typed.
 * @param connection that connects again, in its own way or by the page if its own way ends
 */
export async function waysOf(
  { store }: ManagementContext,
  projectId: string,
  connector: Connector,
  connection?: Pick<Connection, 'authScheme'>,
): Promise<ConnectWay[]> {
  const { provider, authSchemes, endingSchemes = {}, authorizationUrl } = connector;
  const own = connection?.authScheme;
  const isOfPage = own === undefined || own.startsWith('oauth2/authorizationCode') || endingSchemes[own] !== undefined;
  const hasPage = authorizationUrl !== undefined && isOfPage;
  const app = hasPage ? await store.providerApps.findNewest(projectId, provider) : undefined;
  const byHand = Object.entries(typed) as [keyof typeof typed, AuthScheme][];
  const offered = byHand.filter(([, scheme]) => (own === undefined ? authSchemes.includes(scheme) : scheme === own));
  return [...(app === undefined ? [] : ['page' as const]), ...offered.map(([way]) => way)];
}

/** What a browser is shown that may not, or not any more, use the session: whom to ask, and nothing of the customer. */
export function viewOfOther({ appName, connectColor }: Project, state: Standing & ConnectState): ConnectView {
  return { state, app: { name: appName, color: connectColor } };
}

/** What a browser that may use the session is shown. */
export async function viewOf(
  context: ManagementContext,
  project: Project,
  session: StoredConnectSession,
): Promise<ConnectView> {
  const { name, color } = viewOfOther(project, 'done').app;
  return { state: stateOf(session), app: { name, color }, session: await shown(context, session) };
}

function stateOf({ usedTime, installationId, connectionId }: StoredConnectSession): ConnectState {
  if (usedTime !== undefined) return 'done';
  if (installationId !== undefined) return 'installed';
  return connectionId === undefined ? 'open' : 'connected';
}

async function shown(context: ManagementContext, session: StoredConnectSession): Promise<ConnectViewSession> {
  const { projectId, groupRef, groupName = groupRef, connectionId, returnUrl, failure, expireTime } = session;
  const integration = await integrationOf(context, session);
  const { provider, name, latestRevision } = integration;
  const { displayName = name, read, write } = latestRevision.content;
  const connector = context.connectors.get(provider);
  const installation = await installationOf(context, session);
  const own = connectionId === undefined ? undefined : await context.store.connections.find(projectId, connectionId);
  const connection = own ?? installation?.connection;
  // What this session has just made is not connected again.
  const before = session.installationId === undefined ? installation : undefined;
  return {
    group: groupName,
    provider: { name: provider, displayName: connector.catalogue.displayName ?? provider },
    integration: displayName,
    reads: (read?.objects ?? []).map(({ objectName, mapToDisplayName = objectName }) => mapToDisplayName),
    writes: (write?.objects ?? []).map(({ objectName }) => objectName),
    ways: await waysOf(context, projectId, connector, before?.connection),
    inputs: inputsOf(connector, before?.connection),
    account: connection?.providerWorkspaceRef,
    installed: before && { isRefused: before.connection.status === 'bad_credentials' },
    hasChoices: hasChoices(integration),
    failure,
    connectionId: connection?.id,
    installationId: session.installationId ?? installation?.id,
    returnUrl,
    expireTime,
  };
}

function inputsOf(connector: Connector, connection: Connection | undefined): ConnectInput[] {
  const ways = Object.keys(schemes) as ConnectWay[];
  return (connector.catalogue.metadata?.input ?? []).map(({ name, displayName, prompt, docsURL }) => {
    const value = connection?.providerMetadata?.[name]?.value;
    const optionalFor = ways.filter((way) => !isInputNeeded(connector, name, way));
    return { name, displayName, prompt, docsURL, value, optionalFor };
  });
}

/** Whether an account cannot be connected in this way without an input of the catalogue. */
export function isInputNeeded({ needsInput }: Connector, name: string, way: ConnectWay): boolean {
  return needsInput?.(name, schemes[way]) ?? true;
}

/** What can be chosen, with the fields that the account has now. */
export async function describeChoices(
  context: ManagementContext,
  session: StoredConnectSession,
  call: { readonly traceparent: string; readonly held: HeldBytes },
): Promise<ConnectObject[]> {
  const integration = await integrationOf(context, session);
  const installation = await installationOf(context, session);
  const connectionId = session.connectionId ?? installation?.connection.id;
  if (connectionId === undefined) return [];
  const { projectId, provider, latestRevision } = integration;
  const { traceparent, held } = call;
  const account = { traceparent, held, projectId, provider, connectionId, module: latestRevision.content.module };
  const objects: ConnectObject[] = [];
  for (const offer of offeredOf(integration)) {
    const { objectName } = offer.object;
    const config = installation?.config.content.read?.objects?.[objectName];
    objects.push(await describeOffer(context, offer, { ...account, objectName }, config));
  }
  return objects;
}

async function describeOffer(
  context: ManagementContext,
  { object, optional, mappings, isAll }: Offered,
  question: Parameters<typeof describeObject>[1],
  config: ReadObjectConfig | undefined,
): Promise<ConnectObject> {
  const { objectName, mapToDisplayName } = object;
  let metadata: ObjectMetadata | undefined;
  let error: string | undefined;
  try {
    metadata = await describeObject(context, question);
  } catch (caught) {
    const isOfObject =
      (caught instanceof NotFoundError && caught.code === 'object.not-found') ||
      (caught instanceof ProviderError && caught.class === 'forbidden');
    if (!isOfObject) throw caught;
    error = caught.detail;
  }
  const fieldOf = fieldOfObject(context.connectors.get(question.provider).capabilities.fields, objectName);
  const known = (name: string | undefined) => {
    const spelled = name === undefined || name === '' ? undefined : fieldOf(name);
    return metadata && spelled !== undefined ? findField(metadata, spelled) : undefined;
  };
  const field = ({ fieldName, mapToDisplayName: ownName }: Offered['optional'][number]): ConnectField => ({
    name: fieldName,
    displayName: ownName ?? known(fieldName)?.displayName ?? fieldName,
    isChosen: isAll ? config?.selectedFields?.[fieldName] !== false : config?.selectedFields?.[fieldName] === true,
  });
  const named = [...(object.requiredFields ?? []), ...(object.optionalFields ?? [])];
  const declared = new Set(named.map(({ fieldName }) => known(fieldName)?.fieldName));
  const others = isAll ? Object.values(metadata?.fields ?? {}).filter((one) => !declared.has(one.fieldName)) : [];
  const mapping = (one: Offered['mappings'][number]): ConnectMapping => ({
    mapToName: one.mapToName,
    displayName: one.mapToDisplayName ?? one.mapToName,
    prompt: one.prompt,
    isRequired: one.isRequired,
    field: known(config?.selectedFieldMappings?.[one.mapToName] ?? one.default)?.fieldName,
  });
  const fields = mappings.length === 0 ? [] : Object.values(metadata?.fields ?? {});
  return {
    objectName,
    displayName: mapToDisplayName ?? metadata?.displayName ?? objectName,
    optionalFields: [...optional, ...others.map(({ fieldName }) => ({ fieldName }))].map(field),
    mappings: mappings.map(mapping),
    fields: fields.map(({ fieldName, displayName }) => ({ fieldName, displayName })),
    error,
  };
}
