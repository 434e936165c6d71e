import type { Connector } from '@sluice/connectors';
import { Connection } from 'jsforce';
import { createHash } from 'node:crypto';
import {
  CompositeCollection,
  getAuthorizationUrl,
  getStandardError,
  requestAccessToken,
  Rest,
  RestObject,
  SalesforceFieldType,
  sField,
} from 'ts-force';
import { requestDifferences } from './witness/requests';
import { authOf, openStage, thrownBy, type Account, type Stage } from './witness/stage';

/**
 * Clients of Salesforce against the sandbox, beside our connector: jsforce, and ts-force, which is no kin of it. What they send is what we send;
 * what they read in a reply is what we read.
 */
let stage: Stage;
let connector: Required<Connector>;

const objectName = 'Contact';
const version = '66.0';

/** A record of ts-force, which learns the names of fields from such a class. */
class Contact extends RestObject {
  declare lastName?: string;
  declare email?: string;

  constructor(rest: Rest, fields: Partial<Pick<Contact, 'id' | 'lastName' | 'email'>> = {}) {
    super('Contact', rest);
    this.initObject(fields);
    return new Proxy(this, this.safeUpdateProxyHandler);
  }
}
for (const [name, apiName] of [
  ['lastName', 'LastName'],
  ['email', 'Email'],
] as const) {
  const field = {
    apiName,
    createable: true,
    updateable: true,
    required: false,
    externalId: false,
    childRelationship: false,
  };
  sField({ ...field, salesforceType: SalesforceFieldType.STRING })(Contact.prototype, name);
}

interface Party {
  readonly account: Account;
  readonly contact: string;
  readonly jsforce: Connection;
  readonly rest: Rest;
}

async function newParty(): Promise<Party> {
  const account = await stage.open();
  const { token: accessToken, clientId, clientSecret } = account;
  const oauth2 = { loginUrl: stage.url, clientId, clientSecret, redirectUri };
  const jsforce = new Connection({ instanceUrl: stage.url, accessToken, version, oauth2 });
  const rest = new Rest({ accessToken, instanceUrl: stage.url, version: Number(version) });
  await jsforce.sobject(objectName).create(taken);
  const { id: contact = '' } = await jsforce.sobject(objectName).create(first);
  return { account, contact, jsforce, rest };
}

let parties: Readonly<Record<'ours' | 'alsoOurs' | 'jsforce' | 'ts-force', Party>>;

beforeAll(async () => {
  stage = await openStage('salesforce');
  connector = stage.connector as Required<Connector>;
  parties = {
    ours: await newParty(),
    alsoOurs: await newParty(),
    jsforce: await newParty(),
    'ts-force': await newParty(),
  };
  // Kept for a minute, so that no other call has to ask first.
  for (const { account } of [parties.ours, parties.alsoOurs])
    await connector.describe({ auth: authOf(account), objectName });
});
afterAll(() => stage.close());

const first = { LastName: 'First', Email: 'first@example.com' };
const taken = { LastName: 'Taken', Email: 'taken@example.com' };
const redirectUri = 'https://app.example.com/callback';
const codeVerifier = 'v'.repeat(43);

const people = [
  { LastName: 'Bo', Email: 'bo@example.com' },
  { LastName: 'Łuna', Email: 'cy@example.com' },
];
// One record more than is wanted: see the connector's search.
const soql = "SELECT Id, Email FROM Contact WHERE LastName = 'Łuna' LIMIT 6";

type Run = (party: Party) => PromiseLike<unknown>;
type Job = Readonly<Record<'ours', Run>> & Readonly<Partial<Record<'jsforce' | 'ts-force', Run>>>;

const jobs: Readonly<Record<string, Job>> = {
  create: {
    ours: ({ account }) =>
      connector.create({ auth: authOf(account), objectName, fields: { LastName: 'Ana', Email: 'a@example.com' } }),
    jsforce: ({ jsforce }) => jsforce.sobject(objectName).create({ LastName: 'Ana', Email: 'a@example.com' }),
    'ts-force': ({ rest }) => new Contact(rest, { lastName: 'Ana', email: 'a@example.com' }).insert(),
  },
  update: {
    ours: ({ account, contact: recordId }) =>
      connector.update({ auth: authOf(account), objectName, recordId, fields: { LastName: 'Ł' } }),
    jsforce: ({ jsforce, contact: Id }) => jsforce.sobject(objectName).update({ Id, LastName: 'Ł' }),
    'ts-force': ({ rest, contact: id }) => {
      const record = new Contact(rest, { id });
      record.lastName = 'Ł';
      return record.update();
    },
  },
  'batch create': {
    ours: ({ account }) =>
      connector.createBatch({ auth: authOf(account), objectName, records: people.map((fields) => ({ fields })) }),
    jsforce: ({ jsforce }) => jsforce.sobject(objectName).create(people),
    'ts-force': ({ rest }) =>
      new CompositeCollection(rest).insert(
        people.map(({ LastName: lastName, Email: email }) => new Contact(rest, { lastName, email })),
        false,
      ),
  },
  'batch create, all or none': {
    ours: ({ account }) =>
      connector.createBatch({
        auth: authOf(account),
        objectName,
        allOrNone: true,
        records: [{ fields: { LastName: 'A' } }, { fields: { LastName: 'B' } }],
      }),
    jsforce: ({ jsforce }) =>
      jsforce.sobject(objectName).create([{ LastName: 'A' }, { LastName: 'B' }], { allOrNone: true }),
    'ts-force': ({ rest }) =>
      new CompositeCollection(rest).insert([
        new Contact(rest, { lastName: 'A' }),
        new Contact(rest, { lastName: 'B' }),
      ]),
  },
  'batch update': {
    ours: ({ account, contact: recordId }) =>
      connector.updateBatch({ auth: authOf(account), objectName, records: [{ recordId, fields: { LastName: 'L' } }] }),
    jsforce: ({ jsforce, contact: Id }) => jsforce.sobject(objectName).update([{ Id, LastName: 'L' }]),
    'ts-force': ({ rest, contact: id }) => {
      const record = new Contact(rest, { id });
      record.lastName = 'L';
      return new CompositeCollection(rest).update([record], { allOrNothing: false });
    },
  },
  'batch read': {
    ours: ({ account, contact }) =>
      connector.readBatch({ auth: authOf(account), objectName, ids: [contact], fields: ['Email'] }),
    jsforce: ({ jsforce, contact }) => jsforce.sobject(objectName).retrieve([contact], { fields: ['Id', 'Email'] }),
  },
  search: {
    ours: ({ account }) =>
      connector.search({
        auth: authOf(account),
        objectName,
        filters: [{ field: 'LastName', value: 'Łuna' }],
        fields: ['Email'],
        limit: 5,
      }),
    jsforce: ({ jsforce }) => jsforce.query(soql),
    'ts-force': ({ rest }) => rest.query(soql),
  },
  describe: {
    ours: ({ account }) => connector.describe({ auth: authOf(account), objectName: 'Lead' }),
    jsforce: ({ jsforce }) => jsforce.sobject('Lead').describe(),
    'ts-force': ({ rest }) => rest.getSObjectDescribe('Lead'),
  },
  delete: {
    ours: ({ account, contact: recordId }) => connector.delete({ auth: authOf(account), objectName, recordId }),
    jsforce: ({ jsforce, contact }) => jsforce.sobject(objectName).destroy(contact),
    'ts-force': ({ rest, contact: id }) => new Contact(rest, { id }).delete(),
  },
  'exchange of a code': {
    ours: async ({ account }) => {
      const { clientId, clientSecret } = account;
      const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
      const page = connector.authorizationUrl({ clientId, redirectUri, state: 's', codeChallenge });
      const code = await stage.codeFrom(page, account);
      return connector.exchangeCode({ clientId, clientSecret, redirectUri, code, codeVerifier });
    },
    jsforce: async ({ account, jsforce: { oauth2 } }) => {
      const code = await stage.codeFrom(oauth2.getAuthorizationUrl({}), account);
      return oauth2.requestToken(code);
    },
    'ts-force': async ({ account }) => {
      const { clientId: client_id, clientSecret: client_secret } = account;
      const page = getAuthorizationUrl({ instanceUrl: stage.url, client_id, redirect_uri: redirectUri });
      const code = await stage.codeFrom(page, account);
      return requestAccessToken({ instanceUrl: stage.url, client_id, client_secret, redirect_uri: redirectUri, code });
    },
  },
  refresh: {
    ours: ({ account }) => connector.refresh(account),
    jsforce: ({ jsforce, account }) => jsforce.oauth2.refreshToken(account.refreshToken),
    'ts-force': ({ account: { clientId: client_id, clientSecret: client_secret, refreshToken: refresh_token } }) =>
      requestAccessToken({
        instanceUrl: stage.url,
        grant_type: 'refresh_token',
        client_id,
        client_secret,
        refresh_token,
      }),
  },
};

const address = 'its records carry the address of the object too';
/** Where a client sends something else than we do, and why it stays. */
const known: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'create, ts-force': {
    '- attributes.type = "Contact"': `${address}, where the guide has none`,
    '- attributes.url = "/services/data/v66.0/sobjects/Contact"': 'the same',
  },
  'update, ts-force': {
    '- attributes.type = "Contact"': 'the same',
    '- attributes.url = "/services/data/v66.0/sobjects/Contact"': 'the same',
  },
  'batch create, ts-force': {
    '- records[0].attributes.url = "/services/data/v66.0/sobjects/Contact"': address,
    '- records[1].attributes.url = "/services/data/v66.0/sobjects/Contact"': 'the same',
  },
  'batch create, all or none, ts-force': {
    '- records[0].attributes.url = "/services/data/v66.0/sobjects/Contact"': address,
    '- records[1].attributes.url = "/services/data/v66.0/sobjects/Contact"': 'the same',
  },
  'batch update, ts-force': {
    '+ records[0].id = "{id}"': 'the guide has id, jsforce sends it; names are taken in any case',
    '- records[0].attributes.url = "/services/data/v66.0/sobjects/Contact"': address,
    '- records[0].Id = "{id}"': 'see id',
  },
  'exchange of a code': { '+ code_verifier': 'RFC 7636; ts-force has no PKCE, jsforce has it and names no method' },
};

const both = (['jsforce', 'ts-force'] as const).flatMap((by) =>
  Object.entries(jobs).flatMap(([name, job]) => {
    const run = job[by];
    return run === undefined ? [] : [[name, by, job.ours, run] as const];
  }),
);

it.each(both)('what we send is what others send: %s, %s', async (name, by, ours, theirs) => {
  const own = await stage.said(() => ours(parties[by === 'jsforce' ? 'ours' : 'alsoOurs']));
  const other = await stage.said(() => theirs(parties[by]));
  expect(other.filter(({ status }) => status >= 300)).toEqual([]);
  const expected = known[`${name}, ${by}`] ?? known[name] ?? {};
  expect(requestDifferences(own, other)).toEqual(Object.keys(expected));
});

const saved = [{ LastName: 'Part' }, { LastName: '' }];
const all = () => [parties.ours, parties.jsforce, parties['ts-force']];

// A collection is 200 whatever became of its records.
it.each([false, true])('a collection is read as others read it, all or none: %s', async (allOrNone) => {
  const { ours, jsforce: other, 'ts-force': third } = parties;
  const records = saved.map((fields) => ({ fields }));
  const results = await connector.createBatch({ auth: authOf(ours.account), objectName, allOrNone, records });
  const read = await other.jsforce.sobject(objectName).create(saved, { allOrNone });
  const contacts = saved.map(({ LastName: lastName }) => new Contact(third.rest, { lastName }));
  const answered = await new CompositeCollection(third.rest).insert(contacts, allOrNone);
  const codes = ({ errors }: { errors: readonly object[] }) =>
    errors.map((error) => ('statusCode' in error ? error.statusCode : undefined));
  expect(results.map(({ ok }) => ok)).toEqual([!allOrNone, false]);
  for (const outcomes of [read, answered]) {
    expect(outcomes.map(({ success }) => success)).toEqual([!allOrNone, false]);
    expect(outcomes.map(codes)).toEqual([
      allOrNone ? ['ALL_OR_NONE_OPERATION_ROLLED_BACK'] : [],
      ['REQUIRED_FIELD_MISSING'],
    ]);
  }
  expect(results[1]).toMatchObject({
    error: { class: 'rejected', message: expect.stringContaining('REQUIRED_FIELD_MISSING') },
  });
  for (const { jsforce } of all()) {
    expect(await jsforce.sobject(objectName).count({ LastName: 'Part' })).toBe(1);
  }
});

it('a query of more than a page is read to its end by others', async () => {
  const { jsforce, rest } = parties.jsforce;
  const names = Array.from({ length: 250 }, (_, at) => ({ LastName: 'Many', Email: `many-${at}@example.com` }));
  await jsforce.sobject(objectName).create(names.slice(0, 200));
  await jsforce.sobject(objectName).create(names.slice(200));
  const many = "SELECT Id FROM Contact WHERE LastName = 'Many'";
  const headers = { 'Sforce-Query-Options': 'batchSize=1' };
  const found = await jsforce.query(many, { headers, autoFetch: true, maxFetch: 1000 });
  expect([found.totalSize, found.records.length, found.done]).toEqual([250, 250, true]);
  Object.assign(rest.request.defaults.headers, headers);
  const page = await rest.query<object>(many);
  expect([page.totalSize, page.records.length, page.done]).toEqual([250, 200, false]);
  const more = await rest.queryMore(page);
  expect([more.totalSize, more.records.length, more.done, more.nextRecordsUrl]).toEqual([250, 50, true, undefined]);
  expect(rest.apiLimit).toEqual({ used: expect.any(Number), limit: jsforce.limitInfo.apiUsage?.limit });
});

interface Refusal {
  readonly fields?: Readonly<Record<string, string>>;
  /** Brings the refusal about, at each account. */
  readonly before?: (account: Account) => Promise<unknown>;
  readonly class: string;
  /** Absent: the reply is no JSON. */
  readonly code?: string;
  /** @default an error with the code */
  readonly jsforce?: object;
}

const refusals: Readonly<Record<string, Refusal>> = {
  'a required field that is missing': {
    fields: { Email: 'x@example.com' },
    class: 'rejected',
    code: 'REQUIRED_FIELD_MISSING',
  },
  'a duplicate': { fields: taken, class: 'conflict', code: 'DUPLICATES_DETECTED' },
  'a limit': {
    before: (account) => stage.script(account, { kind: 'quota' }),
    class: 'quota',
    code: 'REQUEST_LIMIT_EXCEEDED',
  },
  'a server that is away': {
    before: (account) => stage.script(account, { kind: 'status', status: 503 }),
    class: 'unavailable',
    code: 'SERVER_UNAVAILABLE',
  },
  'a lock': {
    before: (account) => stage.script(account, { kind: 'status', status: 400 }),
    class: 'unavailable',
    code: 'UNABLE_TO_LOCK_ROW',
  },
  'a page of the edge': {
    before: (account) => stage.script(account, { kind: 'status', status: 502 }),
    class: 'unknown',
    jsforce: { errorCode: 'ERROR_HTTP_502' },
  },
  'a session that has ended': {
    before: (account) => stage.expire(account),
    class: 'credentials',
    code: 'INVALID_SESSION_ID',
    jsforce: { message: expect.stringContaining('refresh session') },
  },
};

/** What jsforce throws, and what ts-force makes of what it throws. */
function readAs({ code, jsforce }: Refusal): readonly unknown[] {
  const error = { errorCode: code, message: expect.any(String) };
  const details = { page: expect.stringMatching(/^<html>/) as unknown, json: [error] };
  return [jsforce ?? error, code === undefined ? details.page : details.json];
}

// The last row ends the sessions.
it.each(Object.entries(refusals))('a refusal is read as others read it: %s', async (_name, refusal) => {
  const { fields = { LastName: 'Luna' }, before = () => Promise.resolve() } = refusal;
  for (const { account } of all()) await before(account);
  const { ours, jsforce: other, 'ts-force': third } = parties;
  const { LastName: lastName = '', Email: email = '' } = fields as Readonly<Record<string, string>>;
  const result = await connector.create({ auth: authOf(ours.account), objectName, fields });
  const thrown = await thrownBy(() => other.jsforce.sobject(objectName).create({ ...fields }));
  const contact = new Contact(third.rest, { ...(lastName && { lastName }), ...(email && { email }) });
  const { errorDetails } = getStandardError((await thrownBy(() => contact.insert())) as Error);
  expect(result).toMatchObject({ ok: false, error: { class: refusal.class } });
  expect([thrown, errorDetails]).toMatchObject(readAs(refusal));
});
