import { createHash } from 'node:crypto';
import { createReplyChecker, zipOf } from '@sluice/testkit';
import type { JsonSchema } from '@sluice/types';
import { call } from '../harness/api';
import { sharedStack } from '../harness/shared-stack';
import type { RowRequest } from '../security/tenancy/row';
import { rows } from '../security/tenancy/rows';
import { send, type RawReply } from '../security/tenancy/send';
import { createWorld, type World } from '../security/tenancy/world';
import { apiKey, connection, installation, jwtKey, newJwtKey, providerApp, providerInfo } from './published/access';
import {
  acceptedWrite,
  apiProblem,
  batchWrite,
  inputValidationProblem,
  refusedWrite,
  searchReply,
  singleWrite,
} from './published/records';
import {
  hydratedRevision,
  integration,
  logs,
  objectMetadata,
  operation,
  operationPage,
  project,
  signedUrl,
} from './published/resources';
import { listOf, mapOf } from './published/shape';

// The published clients read these members and refuse others. Browsers run one of them (tests/browser/published-react.test.ts); of the rest only the
// requests are known (docs/guides/published-clients.md).
const stack = sharedStack();
let world: World;
beforeAll(async () => {
  world = await createWorld(stack);
});

const P = '/projects/{projectIdOrName}';
const I = `${P}/integrations/{integrationId}`;
const N = `${I}/installations/{installationId}`;
const O = `${I}/objects/{objectName}`;

type Reply = JsonSchema | 'a text' | 'nothing';

/** What each published request that succeeds is answered with, by the row that has the request. */
const published: Readonly<Record<string, Reply>> = {
  'GET /projects': listOf(project),
  'POST /projects': project,
  [`GET ${P}`]: project,
  [`PATCH ${P}`]: project,
  [`DELETE ${P}`]: 'nothing',
  [`GET ${P}/integrations`]: listOf(integration),
  [`POST ${P}/integrations`]: 'nothing',
  [`PUT ${P}/integrations:batch`]: listOf(integration),
  [`GET ${I}`]: integration,
  [`DELETE ${I}`]: 'nothing',
  [`POST ${I}/revisions`]: 'nothing',
  [`GET ${I}/revisions/{revisionId}:hydrate`]: hydratedRevision,
  [`GET ${O}/metadata`]: objectMetadata,
  [`GET ${P}/providers/{provider}/objects/{objectName}/metadata`]: objectMetadata,
  'GET /generate-upload-url': signedUrl,
  [`GET ${I}/installations`]: listOf(installation),
  [`GET ${P}/installations`]: listOf(installation),
  [`POST ${I}/installations`]: installation,
  [`GET ${N}`]: installation,
  [`PATCH ${N}`]: installation,
  [`DELETE ${N}`]: 'nothing',
  [`PATCH ${O}/config-content`]: installation,
  [`POST ${P}/groups`]: 'nothing',
  [`POST ${P}/consumers`]: 'nothing',
  [`GET ${N}/operations`]: operationPage,
  [`GET ${P}/operations/{operationId}`]: operation,
  [`GET ${P}/operations/{operationId}/logs`]: logs,
  [`GET ${P}/connections`]: listOf(connection),
  [`POST ${P}/connections:generate`]: connection,
  [`GET ${P}/connections/{connectionId}`]: connection,
  [`PATCH ${P}/connections/{connectionId}`]: connection,
  [`DELETE ${P}/connections/{connectionId}`]: 'nothing',
  'POST /oauth-connect': 'a text',
  [`PATCH ${P}/connections/{connectionId}:oauth-update`]: 'a text',
  [`GET ${P}/provider-apps`]: listOf(providerApp),
  [`POST ${P}/provider-apps`]: providerApp,
  [`PATCH ${P}/provider-apps/{providerAppId}`]: providerApp,
  [`DELETE ${P}/provider-apps/{providerAppId}`]: 'nothing',
  [`GET ${P}/api-keys`]: listOf(apiKey),
  [`POST ${P}/api-keys`]: apiKey,
  [`GET ${P}/api-keys/{keyId}`]: apiKey,
  [`PATCH ${P}/api-keys/{keyId}`]: apiKey,
  [`DELETE ${P}/api-keys/{keyId}`]: 'nothing',
  [`GET ${P}/jwt-keys`]: listOf(jwtKey),
  [`POST ${P}/jwt-keys`]: newJwtKey,
  [`GET ${P}/jwt-keys/{keyId}`]: jwtKey,
  [`PATCH ${P}/jwt-keys/{keyId}`]: jwtKey,
  [`DELETE ${P}/jwt-keys/{keyId}`]: 'nothing',
  [`POST ${O}`]: singleWrite,
  [`POST ${I}`]: searchReply,
};

const record = { email: 'published@example.com' };
const inBatch = { email: 'published-in-a-batch@example.com' };
const inBatchLater = { email: 'published-later@example.com' };
const refused = { email: 'no email' };
const write = (more: object): RowRequest => ({ body: ({ groupRef }) => ({ groupRef, type: 'create', ...more }) });
const half = { body: () => ({ name: 'half', provider: 'hubspot' }) };
const [problem, invalid] = [apiProblem, inputValidationProblem];

/** Other answers of the same endpoints. */
const others: readonly (readonly [what: string, endpoint: string, RowRequest, answered: readonly [number, Reply]])[] = [
  ['a write that is accepted', `POST ${O}`, write({ mode: 'asynchronous', record }), [200, acceptedWrite]],
  [
    'a write that joins a batch',
    `POST ${O}`,
    write({ mode: 'asynchronous', record: inBatchLater, autoBatchPolicy: { maxDelayMinutes: 1 } }),
    [200, acceptedWrite],
  ],
  ['a write that the provider refuses', `POST ${O}`, write({ record: refused }), [422, refusedWrite]],
  [
    'a batch, one refused',
    `POST ${O}`,
    write({ batch: [{ record: inBatch }, { record: refused }] }),
    [200, batchWrite],
  ],
  ['a batch, all refused', `POST ${O}`, write({ batch: [{ record: refused }] }), [422, batchWrite]],
  ['a write without a record', `POST ${O}`, write({}), [400, invalid]],
  ['a search of nobody', `POST ${I}`, { query: () => ({ groupRef: 'nobody' }) }, [404, problem]],
  ['an integration by halves', `POST ${P}/integrations`, half, [400, invalid]],
  ['a large page', `GET ${N}/operations`, { query: () => ({ pageSize: '1001' }) }, [400, invalid]],
  ['secrets', `GET ${P}/connections/{connectionId}`, { query: () => ({ includeCreds: 'true' }) }, [200, connection]],
  ['entitlements', `GET ${P}`, { query: () => ({ includeEntitlements: 'true' }) }, [200, project]],
];

it.each(Object.entries(published))('%s', async (endpoint, reply) => {
  const { expected } = rowOf(endpoint);
  const who = expected.full < 300 ? 'full' : 'admin';
  expect(faultOf(await ask(endpoint, {}, who), expected[who], reply)).toBeUndefined();
});

it.each(others)('%s: %s', async (_what, endpoint, request, [status, reply]) => {
  expect(faultOf(await ask(endpoint, request, 'full'), status, reply)).toBeUndefined();
});

it.each([
  ['/providers', mapOf(providerInfo)],
  ['/providers/hubspot', providerInfo],
])('GET %s', async (path, schema) => {
  const reply = await fetch(`${stack.baseUrl}${path}`);
  const contentType = reply.headers.get('content-type') ?? undefined;
  expect(faultOf({ status: reply.status, contentType, text: await reply.text() }, 200, schema)).toBeUndefined();
});

// A manifest for each integration is usual, so what a deployment leaves out stands for customers of another one.
it('a zip is deployed by three requests, with the address as it was handed out; nothing is deleted', async () => {
  const content = 'specVersion: 1.0.0\nintegrations:\n  - name: zipped\n    provider: hubspot\n';
  const zip = zipOf([{ name: 'amp.yaml', content }]);
  const { baseUrl, key, url: projectUrl } = { ...stack, ...world.project };
  const md5 = createHash('md5').update(zip).digest('base64');
  const query = new URLSearchParams({ md5 }).toString();
  type Handed = Readonly<Record<'url' | 'bucket' | 'path', string>>;
  const handed = await call<Handed>(`${baseUrl}/generate-upload-url?${query}`, { method: 'GET', key });
  const put = await fetch(handed.url, { method: 'PUT', headers: { 'content-md5': md5 }, body: new Uint8Array(zip) });
  expect(put.status).toBe(200);
  const sourceZipUrl = `gs://${handed.bucket}/${handed.path}`;
  const listed = await call<{ id: string }[]>(`${projectUrl}/integrations`, { method: 'GET', key });
  const address = `${projectUrl}/integrations:batch?destructive=true`;
  expect(await call(address, { method: 'PUT', key, body: { sourceZipUrl } })).toMatchObject([{ name: 'zipped' }]);
  const after = await call<{ id: string }[]>(`${projectUrl}/integrations`, { method: 'GET', key });
  expect(after.map(({ id }) => id)).toEqual(expect.arrayContaining(listed.map(({ id }) => id)));
});

function rowOf(endpoint: string) {
  const found = rows.find((row) => row.endpoint === endpoint);
  if (found === undefined) throw new Error(`tests/security/tenancy/rows.ts has no row ${endpoint}`);
  return found;
}

async function ask(endpoint: string, more: RowRequest, who: 'full' | 'admin'): Promise<RawReply> {
  const row = rowOf(endpoint);
  const request = { ...row.request, ...more };
  const ids = { ...world.ids, ...(await request.fresh?.(world)) };
  return await send(world, { ...row, request }, ids, world.credentials[who]);
}

/** What of an answer is not as published; undefined when all is. */
function faultOf(answer: RawReply, status: number, reply: Reply): string | undefined {
  if (answer.status !== status) return `status ${answer.status} ${answer.text}`;
  if (reply === 'nothing') return answer.text === '' ? undefined : `a body: ${answer.text}`;
  const isProblem = reply === problem || reply === invalid;
  const contentType = reply === 'a text' ? 'text/plain' : `application/${isProblem ? 'problem+' : ''}json`;
  const content = { [contentType]: { schema: reply === 'a text' ? {} : reply } };
  const responses = { [status]: { description: '', content } };
  const get = { operationId: 'row', summary: '', tags: [], security: [], responses };
  const check = createReplyChecker({
    openapi: '3.1.1',
    info: { title: 'published', version: '1', description: '' },
    servers: [],
    tags: [],
    paths: { '/row': { get } },
    components: { schemas: {}, examples: {}, securitySchemes: {} },
  });
  return check({ method: 'GET', path: '/row', hasHeader: () => true, ...answer });
}
