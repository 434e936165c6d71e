import { Client } from '@hubspot/api-client';
import { AssociationSpecAssociationCategoryEnum as LinkCategory } from '@hubspot/api-client/lib/codegen/crm/associations/v4';
import { AssociationSpecAssociationCategoryEnum as Category } from '@hubspot/api-client/lib/codegen/crm/objects';
import RetryDecorator from '@hubspot/api-client/lib/src/services/decorators/RetryDecorator';
import type { Connector } from '@sluice/connectors';
import { createHash } from 'node:crypto';
import { startMcpServer, type McpServer } from './witness/mcp-server';
import { requestDifferences } from './witness/requests';
import { authOf, openStage, thrownBy, type Account, type Stage } from './witness/stage';

/**
 * HubSpot's clients against the sandbox, beside our connector: the one that is generated from its specifications (npm `@hubspot/api-client`), and
 * the program for assistants, written by hand (npm `@hubspot/mcp-server`). What they send is what we send; what they read in a reply is what we read.
 */
interface Party {
  readonly account: Account;
  readonly contact: string;
  readonly company: string;
}

let stage: Stage;
let connector: Required<Connector>;
let client: Client;
let server: McpServer;
let parties: Readonly<Record<'ours' | 'alsoOurs' | 'client' | 'server', Party>>;

const objectName = 'contacts';
const clientOf = (accessToken: string): Client =>
  new Client({
    accessToken,
    basePath: stage.url,
    limiterOptions: { minTime: 0, maxConcurrent: 50 },
    numberOfApiCallRetries: 0,
  });

async function newParty(): Promise<Party> {
  const account = await stage.open();
  const { basicApi } = clientOf(account.token).crm.objects;
  const contact = await basicApi.create(objectName, { properties: { email: 'first@example.com' }, associations: [] });
  await basicApi.create(objectName, { properties: { email: 'taken@example.com' }, associations: [] });
  const company = await basicApi.create('companies', { properties: { name: 'Acme' }, associations: [] });
  return { account, contact: contact.id, company: company.id };
}

beforeAll(async () => {
  stage = await openStage('hubspot');
  connector = stage.connector as Required<Connector>;
  parties = {
    ours: await newParty(),
    alsoOurs: await newParty(),
    client: await newParty(),
    server: await newParty(),
  };
  client = clientOf(parties.client.account.token);
  server = await startMcpServer(stage.url, parties.server.account.token);
});
afterAll(async () => {
  await server.close();
  await stage.close();
});

const types = [{ associationCategory: Category.HubspotDefined, associationTypeId: 279 }];
const people = [
  { email: 'bo@example.com', lastname: 'Łuna' },
  { email: 'cy@example.com', lastname: 'Cy' },
];
const traced = people.map((properties, at) => ({ properties, objectWriteTraceId: String(at) }));
const filterGroups = [{ filters: [{ propertyName: 'lastname', operator: 'EQ', value: 'Łuna' }] }];
const redirectUri = 'https://app.example.com/callback';
const codeVerifier = 'v'.repeat(43);

type Run = (party: Party) => Promise<unknown>;

/** How each of them does a job. */
interface Job {
  readonly ours: Run;
  readonly client: Run;
  /** Absent: it has no tool for the job. */
  readonly server?: Run;
}

const jobs: Readonly<Record<string, Job>> = {
  create: {
    ours: ({ account, company: id }) => {
      const associations = [{ to: { id }, types }];
      return connector.create({ auth: authOf(account), objectName, fields: { email: 'a@example.com' }, associations });
    },
    client: ({ company: id }) =>
      client.crm.objects.basicApi.create(objectName, {
        properties: { email: 'a@example.com' },
        associations: [{ to: { id }, types }],
      }),
  },
  update: {
    ours: ({ account, contact: recordId }) =>
      connector.update({ auth: authOf(account), objectName, recordId, fields: { lastname: 'Ł' } }),
    client: ({ contact }) => client.crm.objects.basicApi.update(objectName, contact, { properties: { lastname: 'Ł' } }),
  },
  'batch create': {
    ours: ({ account }) =>
      connector.createBatch({ auth: authOf(account), objectName, records: people.map((fields) => ({ fields })) }),
    client: () =>
      client.crm.objects.batchApi.create(objectName, { inputs: traced.map((each) => ({ ...each, associations: [] })) }),
    server: () => server.call('batch-create-objects', { objectType: objectName, inputs: traced }),
  },
  'batch update': {
    ours: ({ account, contact: recordId }) =>
      connector.updateBatch({ auth: authOf(account), objectName, records: [{ recordId, fields: { lastname: 'L' } }] }),
    client: ({ contact: id }) =>
      client.crm.objects.batchApi.update(objectName, {
        inputs: [{ id, properties: { lastname: 'L' }, objectWriteTraceId: '0' }],
      }),
    server: ({ contact: id }) =>
      server.call('batch-update-objects', {
        objectType: objectName,
        inputs: [{ id, properties: { lastname: 'L' }, objectWriteTraceId: '0' }],
      }),
  },
  'batch read': {
    ours: ({ account, contact }) =>
      connector.readBatch({ auth: authOf(account), objectName, ids: [contact], fields: ['email'] }),
    client: ({ contact: id }) =>
      client.crm.objects.batchApi.read(objectName, {
        inputs: [{ id }],
        properties: ['email'],
        propertiesWithHistory: [],
      }),
    server: ({ contact: id }) =>
      server.call('batch-read-objects', { objectType: objectName, inputs: [{ id }], properties: ['email'] }),
  },
  'batch read by a unique property': {
    ours: ({ account }) =>
      connector.readBatch({
        auth: authOf(account),
        objectName,
        byProperty: { name: 'email', values: ['first@example.com'] },
        fields: ['email'],
      }),
    client: () =>
      client.crm.objects.batchApi.read(objectName, {
        inputs: [{ id: 'first@example.com' }],
        idProperty: 'email',
        properties: ['email'],
        propertiesWithHistory: [],
      }),
  },
  search: {
    ours: ({ account }) =>
      connector.search({
        auth: authOf(account),
        objectName,
        filters: [{ field: 'lastname', value: 'Łuna' }],
        fields: ['email'],
        limit: 5,
      }),
    client: () =>
      client.crm.objects.searchApi.doSearch(objectName, {
        filterGroups: filterGroups as never,
        properties: ['email'],
        limit: 5,
      }),
    server: () =>
      server.call('search-objects', { objectType: objectName, filterGroups, properties: ['email'], limit: 5 }),
  },
  associate: {
    ours: ({ account, contact: recordId, company: id }) => {
      const associations = [{ to: { id }, types }];
      return connector.update({ auth: authOf(account), objectName, recordId, fields: {}, associations });
    },
    client: ({ contact, company }) =>
      client.crm.associations.v4.batchApi.create(objectName, 'companies', {
        inputs: [
          {
            _from: { id: contact },
            to: { id: company },
            types: [{ associationCategory: LinkCategory.HubspotDefined, associationTypeId: 279 }],
          },
        ],
      }),
    server: ({ contact, company }) =>
      server.call('batch-create-associations', {
        fromObjectType: objectName,
        toObjectType: 'companies',
        types,
        inputs: [{ from: { id: contact }, to: { id: company } }],
      }),
  },
  describe: {
    ours: ({ account }) => connector.describe({ auth: authOf(account), objectName }),
    client: () =>
      Promise.all([client.crm.properties.coreApi.getAll(objectName), client.crm.schemas.coreApi.getById(objectName)]),
  },
  archive: {
    ours: ({ account, contact: recordId }) => connector.delete({ auth: authOf(account), objectName, recordId }),
    client: ({ contact }) => client.crm.objects.basicApi.archive(objectName, contact),
  },
  'exchange of a code': {
    ours: async ({ account }) => {
      const { clientId, clientSecret } = account;
      const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
      const page = connector.authorizationUrl({ clientId, redirectUri, state: 's', codeChallenge, scopes: ['oauth'] });
      const code = await stage.codeFrom(page, account);
      return connector.exchangeCode({ clientId, clientSecret, redirectUri, code, codeVerifier });
    },
    client: async ({ account }) => {
      const { clientId, clientSecret } = account;
      const page = client.oauth.getAuthorizationUrl(clientId, redirectUri, 'oauth');
      const code = await stage.codeFrom(page, account);
      return client.oauth.tokensApi.create('authorization_code', code, redirectUri, clientId, clientSecret);
    },
  },
  refresh: {
    ours: ({ account }) => connector.refresh(account),
    client: ({ account: { clientId, clientSecret, refreshToken } }) =>
      client.oauth.tokensApi.create('refresh_token', undefined, undefined, clientId, clientSecret, refreshToken),
  },
};

/** Where a client sends something else than we do, and why it stays. */
const known: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'batch create, client': {
    '- inputs[0].associations = []': 'required by its model; HubSpot takes a record without, and the server sends none',
    '- inputs[1].associations = []': 'the same',
  },
  'batch read, server': { '+ propertiesWithHistory = []': 'required by the model of the other client' },
  'exchange of a code, client': { '+ code_verifier': 'RFC 7636; the client has no PKCE (docs/rulings)' },
};

const both = (['client', 'server'] as const).flatMap((by) =>
  Object.entries(jobs).flatMap(([name, job]) => {
    const run = job[by];
    return run === undefined ? [] : [[name, by, job.ours, run] as const];
  }),
);

it.each(both)('what we send is what others send: %s, %s', async (name, by, ours, theirs) => {
  const own = await stage.said(() => ours(parties[by === 'client' ? 'ours' : 'alsoOurs']));
  const other = await stage.said(() => theirs(parties[by]));
  expect(other.filter(({ status }) => status >= 300)).toEqual([]);
  expect(requestDifferences(own, other)).toEqual(Object.keys(known[`${name}, ${by}`] ?? {}));
});

async function failedCreate(fields: Readonly<Record<string, string>>) {
  const result = await connector.create({ auth: authOf(parties.ours.account), objectName, fields });
  if (result.ok) throw new Error('it was created');
  return result;
}

const createByClient = (properties: Record<string, string>) =>
  client.crm.objects.basicApi.create(objectName, { properties, associations: [] });

it('a batch that was written in part is read as others read it', async () => {
  const inputs = ['One', 'Two'].map((lastname, at) => ({ properties: { lastname }, objectWriteTraceId: String(at) }));
  for (const { account } of [parties.ours, parties.client, parties.server])
    await stage.script(account, { kind: 'partial', inputs: [1] });
  const ours = await connector.createBatch({
    auth: authOf(parties.ours.account),
    objectName,
    records: inputs.map(({ properties: fields }) => ({ fields })),
  });
  const read = await client.crm.objects.batchApi.create(objectName, {
    inputs: inputs.map((input) => ({ ...input, associations: [] })),
  });
  const reply = await server.call('batch-create-objects', { objectType: objectName, inputs });
  expect(ours).toMatchObject([{ ok: true }, { ok: false, error: { class: 'rejected', scope: 'record' } }]);
  expect(read).toMatchObject({
    status: 'COMPLETE',
    startedAt: expect.any(Date),
    completedAt: expect.any(Date),
    numErrors: 1,
    results: [{ id: expect.stringMatching(/^\d+$/), createdAt: expect.any(Date), archived: false }],
    errors: [{ status: 'error', category: 'VALIDATION_ERROR', context: { objectWriteTraceId: ['1'] } }],
  });
  // The server passes over the errors of a 207: it is shown that one was written, and no word of the other.
  expect([reply.isError, JSON.parse(reply.text)]).toEqual([
    false,
    expect.objectContaining({ status: 'COMPLETE', results: [expect.objectContaining({ id: expect.any(String) })] }),
  ]);
});

it('the wait after a limit is that of the client', async () => {
  const waits: number[] = [];
  const decorator = Object.assign(new RetryDecorator(2), {
    _waitAfterRequestFailure: (_status: number, _retry: number, timeoutMs: number) =>
      Promise.resolve(waits.push(timeoutMs)),
  });
  for (const { account } of [parties.ours, parties.client]) await stage.script(account, { kind: 'quota' });
  const { error } = await failedCreate({ lastname: 'Luna' });
  expect(await decorator.decorate(createByClient)({ lastname: 'Luna' })).toMatchObject({ archived: false });
  expect(waits).toEqual([error.retryAfterMs]);
});

interface Refusal {
  readonly fields?: Readonly<Record<string, string>>;
  /** Brings the refusal about, at each account. */
  readonly before?: (account: Account) => Promise<unknown>;
  readonly class: string;
  readonly status: number;
  readonly category?: string;
}

const refusals: Readonly<Record<string, Refusal>> = {
  'a property that is not there': {
    fields: { shoe: '43' },
    class: 'rejected',
    status: 400,
    category: 'VALIDATION_ERROR',
  },
  'an email that is taken': {
    fields: { email: 'taken@example.com' },
    class: 'conflict',
    status: 409,
    category: 'CONFLICT',
  },
  'a limit': { before: (account) => stage.script(account, { kind: 'quota' }), class: 'quota', status: 429 },
  'a page of the edge': {
    before: (account) => stage.script(account, { kind: 'status', status: 502 }),
    class: 'unknown',
    status: 502,
  },
  'a token that has ended': {
    before: (account) => stage.expire(account),
    class: 'credentials',
    status: 401,
    category: 'EXPIRED_AUTHENTICATION',
  },
};

// The last row ends the tokens.
it.each(Object.entries(refusals))('a refusal is read as others read it: %s', async (_name, refusal) => {
  const { fields = { lastname: 'Luna' }, before = () => Promise.resolve() } = refusal;
  for (const { account } of [parties.ours, parties.client, parties.server]) await before(account);
  const { error } = await failedCreate(fields);
  const thrown = await thrownBy(() => createByClient(fields));
  const reply = await server.call('batch-create-objects', { objectType: objectName, inputs: [{ properties: fields }] });
  expect([error, thrown, reply]).toMatchObject([
    { class: refusal.class, status: refusal.status },
    { code: refusal.status, ...(refusal.category && { body: { category: refusal.category } }) },
    { isError: true, text: expect.stringMatching(`API Error: ${refusal.status} .*${refusal.category ?? ''}`) },
  ]);
});
