import { createHash } from 'node:crypto';
import type { Capabilities, Connector } from '../connector';
import type { Fields, TokenRefresh, UpdateWrite, TokenGrant, DeleteWrite } from '../requests';
import type { FreshTokens, RecordResult } from '../results';
import { authorizationUrl, exchangeCode } from './authorize';
import { batchCreate, batchUpdate } from './batch-write';
import { batchLimit } from './batch-limit';
import { batchRead } from './batch-read';
import type { SalesforceApi } from './call-salesforce';
import { create } from './create';
import { createDescriber, rejected, toMetadata } from './describe';
import { findCreated } from './find-created';
import { salesforceCatalogue } from './provider-info';
import { recordKey, idRule, isRecordId } from './record-id';
import { search, searchPageMax } from './search';
import { listSeparator, reserved, toSentUpdate } from './sent-values';
import { workspace } from './workspace';
import { isEmpty, plain } from './same-value';
import { askForTokens } from './token-call';
import { paths } from './paths';
import { refuse, refusedObject, toRecordResult } from './save-result';

const capabilities: Capabilities = {
  // Names are taken in any case. Source: reference B2, B5.
  fields: { names: 'case-insensitive', reserved, listSeparator },
  batchCreate: { limit: batchLimit },
  batchUpdate: { limit: batchLimit },
  batchRead: { limit: batchLimit },
  search: { limit: searchPageMax },
  delete: true,
  allOrNone: { create: true, update: true },
  associations: false,
  forwardedHeaders: true,
  ifEmpty: true,
  // There is no burst limit, only 25 requests at once that last 20 s or longer, and a daily total (reference B7). [own]
  // 50 a second is what 25 at once of half a second each come to; a runaway then needs half an hour for 100,000 calls.
  quota: { limit: 500, windowMs: 10_000 },
  searchQuota: false,
  // A request may run for 10 minutes. Source: reference B7, 1c.
  lateCommitMs: 600_000,
};

/** Salesforce, the specification's provider Y. One file per action; what they share is `SalesforceApi`. */
export function createSalesforceConnector(api: SalesforceApi): Connector {
  const describe = createDescriber(api);
  return {
    provider: 'salesforce',
    capabilities,
    catalogue: salesforceCatalogue,
    modules: ['crm'],
    create: (write) => create(api, describe, write),
    update: (write) => update(api, write),
    delete: (write) => deleteRecord(api, write),
    createBatch: (write) => batchCreate(api, describe, write),
    updateBatch: (write) => batchUpdate(api, write),
    readBatch: (read) => batchRead(api, describe, read),
    search: (request) => search(api, describe, request),
    describe: async (call) => toMetadata(await describe(call)),
    refresh: (request) => refresh(api, request),
    authSchemes: [
      'oauth2/authorizationCode',
      'oauth2/authorizationCodePKCE',
      'oauth2/clientCredentials',
      'oauth2/password',
    ],
    authorizationUrl: (request) => authorizationUrl(api, request),
    exchangeCode: (request) => exchangeCode(api, request),
    grant: (request) => grant(api, request),
    workspace: (call) => workspace(api, call),
    findCreated: (find) => findCreated(api, describe, find),
    recordKey,
    // SOQL reads what is committed. Source: reference B4.
    visibilityMs: () => 0,
    fingerprint,
  };
}

/**
 * SHA-256, in hex, of what two creates have in common when they can be taken for one another: every value that is not
 * empty. Which fields are unique only the account's description tells, which is not asked here.
 */
function fingerprint(objectName: string, fields: Fields): string {
  const told = Object.entries(fields)
    .filter(([, value]) => !isEmpty(value))
    .map(([name, value]) => [name.toLowerCase(), plain(value)])
    .sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([objectName.toLowerCase(), told]))
    .digest('hex');
}

/**
 * Changes a refresh token into an access token: at the login, or at the account itself when it is a customer's sandbox.
 * Source: reference B1.
 * @throws ProviderError
 */
function refresh(api: SalesforceApi, request: TokenRefresh): Promise<FreshTokens> {
  const { refreshToken, clientId, clientSecret } = request;
  const form = {
    grant_type: 'refresh_token',
    client_id: clientId,
    client_secret: clientSecret,
    refresh_token: refreshToken,
  };
  const origin = api.loginOf(request.workspaceRef);
  return askForTokens(api, { ...request, operation: 'refresh', form, origin, secrets: [refreshToken, clientSecret] });
}

/** `PATCH /sobjects/{object}/{id}`, answered by an empty 204. Source: reference B2. */
async function update(api: SalesforceApi, write: UpdateWrite): Promise<RecordResult> {
  const { objectName, recordId, fields, headers, auth } = write;
  const refused = refusedObject(objectName) ?? (isRecordId(recordId) ? undefined : refuse(idRule(recordId)));
  if (refused) return refused;
  const answer = await api.call(
    {
      operation: 'update',
      method: 'PATCH',
      path: paths.object(objectName, recordId),
      body: toSentUpdate(fields),
      ...(headers && { headers }),
    },
    write,
  );
  return toRecordResult(answer, { write: 'update', recordId, token: auth.accessToken });
}

/**
 * Tokens for a client's or a user's own credentials. Client credentials are taken at the My Domain only, so the account
 * must be known; a user logs in where a refresh goes. Salesforce takes no scopes with either: they are a setting of the app.
 * Source: reference B1 names the hosts; the two flows follow Salesforce's public help ("OAuth 2.0 Client Credentials Flow",
 * "OAuth 2.0 Username-Password Flow"), never tried against a live account.
 * @throws ProviderError
 */
async function grant(api: SalesforceApi, request: TokenGrant): Promise<FreshTokens> {
  const { clientId, clientSecret, workspaceRef } = request;
  const client = { grant_type: request.grantType, client_id: clientId, client_secret: clientSecret };
  const call = { ...request, operation: 'grant' as const, isOwnClient: true };
  if (request.grantType === 'password') {
    const { username, password } = request;
    const form = { ...client, username, password };
    return askForTokens(api, { ...call, form, origin: api.loginOf(workspaceRef), secrets: [password, clientSecret] });
  }
  const instance = api.instanceOf(workspaceRef);
  if (!instance.ok) throw rejected(instance.message);
  return askForTokens(api, { ...call, form: client, origin: instance.origin, secrets: [clientSecret] });
}

/**
 * `DELETE /sobjects/{object}/{id}`, answered by an empty 204. A record that is not there is `not-found`, unless an earlier send
 * of the same may have deleted it. Source: reference B2, 1b.
 */
async function deleteRecord(api: SalesforceApi, write: DeleteWrite): Promise<RecordResult> {
  const { objectName, recordId, headers, auth } = write;
  const refused = refusedObject(objectName) ?? (isRecordId(recordId) ? undefined : refuse(idRule(recordId)));
  if (refused) return refused;
  const answer = await api.call(
    {
      operation: 'delete',
      method: 'DELETE',
      path: paths.object(objectName, recordId),
      isResend: write.isResend ?? false,
      ...(headers && { headers }),
    },
    write,
  );
  return toRecordResult(answer, { write: 'delete', recordId, token: auth.accessToken });
}
