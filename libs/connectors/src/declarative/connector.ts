import type { AuthScheme } from '@sluice/types';
import { createAccountCache } from '../account-cache';
import type { Capabilities, Connector } from '../connector';
import { fingerprintOf, type Workspace } from '../results';
import { toProviderError, unreadable } from '../provider-call';
import type { AuthorizationRequest, Fields, ProviderCall } from '../requests';
import { requestCode } from '../tokens';
import { callProvider, type DeclaredApi } from './call-provider';
import { catalogueOf } from './catalogue';
import { fieldOf } from './custom-fields';
import type { Declaration, DeclaredAuth, DeclaredOAuth2 } from './declaration';
import { type FieldsCache, describe } from './describe';
import { findCreated } from './find-created';
import { plain, uniqueValueOf } from './same-value';
import { search } from './search';
import { idAt } from './template';
import { tokensFor } from './tokens';
import { addressOf, returnedAddress } from './variables';
import { create, update } from './write-record';

/** How long a request without a reply may still be committed, where a file says nothing. Source: reference 1c, HubSpot's. [own] */
const usualLateCommitMs = 30_000;

/**
 * A provider that is described by a file. One record per call. Only connectors written in code have batches, deletes, associations, forwarded headers
 * and `ifEmpty` (rulings, "declarative providers").
 */
export function createDeclaredConnector(api: DeclaredApi): Connector {
  const { file } = api;
  const { auth, create: creating, update: updating, search: searching } = file;
  const cache: FieldsCache = createAccountCache();
  const objects = Object.values(file.objects);
  const isDescribed = file.fields !== undefined || objects.some(({ fields }) => fields !== undefined);
  const isFindable = objects.some(({ unique }) => unique !== undefined);
  return {
    provider: file.name,
    capabilities: capabilitiesOf(file),
    catalogue: catalogueOf(file),
    modules: file.modules ?? [],
    ...(!Object.hasOwn(file.objects, '*') && { objects: Object.keys(file.objects) }),
    ...(creating && { create: (write) => create(api, creating, write) }),
    ...(updating && { update: (write) => update(api, updating, write) }),
    ...(searching && { search: (request) => search(api, searching, request) }),
    ...(isDescribed && { describe: (call) => describe(api, cache, call) }),
    authSchemes: schemesOf(auth),
    endingSchemes: auth.ending ?? {},
    ...(auth.oauth2 && tokenMethods(api, auth.oauth2)),
    isNamedByAddress: file.account?.workspace === undefined,
    workspace: (call) => workspace(api, call),
    ...(searching && isFindable && { findCreated: (find) => findCreated(api, searching, find) }),
    recordKey: (recordId) => recordId,
    // Only by unique values, which the provider keeps consistently or it could not refuse the second of two.
    visibilityMs: () => 0,
    fingerprint: (objectName, fields) => fingerprint(file, objectName, fields),
  };
}

function capabilitiesOf(file: Declaration): Capabilities {
  const { fieldNames = 'exact', reserved, search: searching, rate, lateCommitMs } = file;
  const { create: onCreate = [], update: onUpdate = [] } = reserved ?? {};
  return {
    fields: {
      names: fieldNames,
      reserved: { create: onCreate, update: onUpdate },
      fieldOf: (objectName, name) => fieldOf(file, objectName, name),
      identifying: (objectName) => identifyingOf(file, objectName),
    },
    batchCreate: false,
    batchUpdate: false,
    batchRead: false,
    search: searching ? { limit: searching.pageMax } : false,
    delete: false,
    allOrNone: { create: false, update: false },
    associations: false,
    forwardedHeaders: false,
    ifEmpty: false,
    quota: { limit: rate.limit, windowMs: rate.windowMs },
    searchQuota: false,
    lateCommitMs: lateCommitMs ?? usualLateCommitMs,
  };
}

/** What the file says is unique, then what most providers name a record by. */
function identifyingOf({ objects }: Declaration, objectName: string): string[] {
  const unique = Object.hasOwn(objects, objectName) ? objects[objectName]?.unique : undefined;
  return [...(unique === undefined ? [] : [unique]), 'email', 'name', 'title', 'subject'];
}

function schemesOf({ none, apiKey, basic, oauth2, ending = {} }: DeclaredAuth): AuthScheme[] {
  const schemes: AuthScheme[] = [
    ...(apiKey ? (['apiKey'] as const) : []),
    // A form that knows only user name and password has the key in one of them.
    ...(basic || apiKey?.basic !== undefined ? (['basic'] as const) : []),
    ...(oauth2?.grants ?? []).map((name): AuthScheme => `oauth2/${name}`),
    ...(none ? (['none'] as const) : []),
  ];
  return schemes.filter((scheme) => !Object.hasOwn(ending, scheme));
}

type TokenMethods = Pick<Connector, 'refresh' | 'authorizationUrl' | 'returnedAddress' | 'exchangeCode' | 'grant'>;

function tokenMethods(api: DeclaredApi, oauth2: DeclaredOAuth2): TokenMethods {
  const { grants } = oauth2;
  const hasPage = grants.some((name) => name.startsWith('authorizationCode'));
  const hasGrant = grants.includes('clientCredentials') || grants.includes('password');
  return {
    ...(hasPage && {
      refresh: (request) => tokensFor(api, oauth2, request),
      authorizationUrl: (request) => authorizationUrl(api, oauth2, request),
      returnedAddress: (parameters) => returnedAddress(api.file, parameters),
      exchangeCode: (request) => tokensFor(api, oauth2, request),
    }),
    ...(hasGrant && { grant: (request) => tokensFor(api, oauth2, request) }),
  };
}

/**
 * Whose account it is, by the file's `account`. Where a reply names no workspace, it is the one that the connection names: its
 * address has just taken the credentials. Without `account` nothing is asked.
 * @throws ProviderError
 */
async function workspace(api: DeclaredApi, call: ProviderCall): Promise<Workspace> {
  const { account, name, displayName, objects } = api.file;
  const named = call.auth.workspaceRef === undefined ? {} : { workspaceRef: call.auth.workspaceRef };
  if (account === undefined) return named;
  const answer = await callProvider(api, { operation: 'account', method: 'GET', path: account.path, texts: {} }, call);
  if (!answer.ok) throw toProviderError(answer.failure, name);
  const consumerRef = account.consumer === undefined ? undefined : idAt(answer.body, account.consumer);
  if (account.workspace === undefined && account.consumer !== undefined && consumerRef === undefined) {
    const message = `${displayName} answered, but as to somebody whom it does not know`;
    throw toProviderError({ class: 'credentials', scope: 'call', message }, name);
  }
  const reported = account.workspace === undefined ? named : { workspaceRef: idAt(answer.body, account.workspace) };
  const isKnown = reported.workspaceRef !== undefined || Object.keys(objects).length === 0;
  if (isKnown) return { ...reported, ...(consumerRef !== undefined && { consumerRef }) };
  throw unreadable(name, `${displayName} answered without the account's id`);
}

/** The unique value alone where there is one, because at most one record can carry it; else every value that is not empty. */
function fingerprint({ objects }: Declaration, objectName: string, fields: Fields): string {
  const object = Object.hasOwn(objects, objectName) ? objects[objectName] : undefined;
  const unique = object && uniqueValueOf(object, fields);
  const values = Object.entries(fields).map(([name, value]) => [name, plain(value)] as const);
  const sent = unique ? [[unique.name, plain(unique.value)] as const] : values.filter(([, value]) => value !== '');
  return fingerprintOf(objectName, sent);
}

/**
 * The address of the page where a customer allows the app in. Source: RFC 6749, 4.1.1; RFC 7636, 4.3.
 * @throws ProviderError `rejected` when the address needs something of the account that is not given
 */
function authorizationUrl(
  { file, override }: DeclaredApi,
  { authorizeUrl = '', grants, scopeSeparator = ' ', pageQuery = {}, offlineScope }: DeclaredOAuth2,
  request: AuthorizationRequest,
): string {
  const address = addressOf(file, authorizeUrl, request, override);
  if (!address.ok) throw toProviderError({ class: 'rejected', scope: 'call', message: address.message }, file.name);
  const url = new URL(address.origin);
  for (const [name, value] of Object.entries({ response_type: 'code', ...pageQuery }))
    url.searchParams.set(name, value);
  const { scopes = [] } = request;
  // Without scopes the app's own are asked for.
  const asked = scopes.length === 0 || offlineScope === undefined ? scopes : [...new Set([...scopes, offlineScope])];
  return requestCode(url, { ...request, scopes: asked }, scopeSeparator, grants.includes('authorizationCodePKCE'));
}
