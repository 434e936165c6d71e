import {
  hubspotRecord,
  hubspotRefusal as refusal,
  startScriptedProvider,
  type ProviderAnswer,
  type ProviderCall,
  type ScriptedProvider,
} from '@sluice/testkit';

type Properties = Readonly<Record<string, unknown>>;
interface Input {
  readonly id?: string;
  readonly properties?: Properties;
  readonly objectWriteTraceId?: string;
}

interface Body {
  readonly properties?: Properties & readonly string[];
  readonly inputs?: readonly Input[];
  readonly idProperty?: string;
  readonly filterGroups?: readonly { filters: readonly Filter[] }[];
}

/** A request that reached HubSpot, with the records that it carries. */
export interface HubspotCall extends ProviderCall<Body> {
  readonly properties: Properties;
  readonly inputs: readonly Input[];
}

interface Filter {
  readonly propertyName: string;
  readonly operator: 'EQ' | 'GTE';
  readonly value: string;
}

export type Answer = ProviderAnswer;

/** What happens to one call. `apply` does what HubSpot would do and gives its answer, which may then be lost. */
export type Behaviour = (call: HubspotCall, apply: () => Answer) => Answer | Promise<Answer>;

export interface StoredContact {
  readonly id: string;
  readonly createdAt: Date;
  properties: Record<string, unknown>;
}

/** An account of HubSpot contacts with unique emails. */
export interface FakeHubspot extends Pick<ScriptedProvider, 'url' | 'close'> {
  readonly calls: HubspotCall[];
  readonly contacts: Map<string, StoredContact>;
  /** The token endpoint, whose calls stand here and not among `calls`. */
  readonly tokens: FakeTokens;
  /** For the next calls, one each; then `behave`. */
  readonly script: Behaviour[];
  behave: Behaviour;
  /** Calls that write: reads and searches aside. */
  writes(): HubspotCall[];
}

export async function startFakeHubspot(): Promise<FakeHubspot> {
  const calls: HubspotCall[] = [];
  const contacts = new Map<string, StoredContact>();
  const tokens = createFakeTokens();
  const { url, close } = await startScriptedProvider<Body>(async (received) => {
    if (received.path === tokenPath) return answerPost(tokens, received.text);
    // What an account keeps unique is asked before a look, and is no part of what is scripted: nothing.
    if (received.path.startsWith('/crm/v3/properties/')) return { status: 200, body: { results: [] } };
    const { properties = {}, inputs = [] } = received.body;
    const call = { ...received, properties, inputs };
    calls.push(call);
    if (tokens.expired.has(call.token)) return refusal(401, { category: 'EXPIRED_AUTHENTICATION' });
    const behaviour = fake.script.shift() ?? fake.behave;
    return await behaviour(call, () => apply(contacts, call));
  });
  const fake: FakeHubspot = {
    url,
    calls,
    contacts,
    tokens,
    script: [],
    behave: (_call, applyIt) => applyIt(),
    writes: () => calls.filter(({ path }) => !/(search|read)$/.test(path)),
    close,
  };
  return fake;
}

function apply(contacts: Map<string, StoredContact>, call: HubspotCall): Answer {
  if (call.path.endsWith('/search')) return search(contacts, call);
  if (call.path.endsWith('/read')) return readBatch(contacts, call);
  const isBatch = call.inputs.length > 0;
  const inputs = isBatch ? call.inputs : [{ id: call.path.split('/').at(-1), properties: call.properties }];
  const isUpdate = call.method === 'PATCH' || call.path.endsWith('update');
  const outcomes = inputs.map((input) => (isUpdate ? update(contacts, input) : create(contacts, input)));
  const [first] = outcomes;
  if (!isBatch) {
    if (first?.error) return refusal(first.error.category === 'CONFLICT' ? 409 : 404, first.error);
    return { status: isUpdate ? 200 : 201, body: first?.record };
  }
  const errors = outcomes.flatMap(({ error }, at) => {
    return error
      ? [{ ...error, status: 'error', context: { objectWriteTraceId: [inputs[at]?.objectWriteTraceId] } }]
      : [];
  });
  const results = outcomes.flatMap(({ record }) => record ?? []);
  const status = errors.length > 0 ? 207 : isUpdate ? 200 : 201;
  return {
    status,
    body: { status: 'COMPLETE', results, ...(errors.length > 0 && { errors, numErrors: errors.length }) },
  };
}

interface Outcome {
  readonly record?: object;
  readonly error?: { readonly category: string; readonly message: string };
}

function create(contacts: Map<string, StoredContact>, { properties = {}, objectWriteTraceId }: Input): Outcome {
  const email = properties['email'];
  const existing = [...contacts.values()].find(
    (contact) => email !== undefined && contact.properties['email'] === email,
  );
  if (existing)
    return { error: { category: 'CONFLICT', message: `Contact already exists. Existing ID: ${existing.id}` } };
  const contact = { id: String(1_000 + contacts.size), createdAt: new Date(), properties: { ...properties } };
  contacts.set(contact.id, contact);
  return { record: { ...wire(contact), objectWriteTraceId } };
}

function update(
  contacts: Map<string, StoredContact>,
  { id = '', properties = {}, objectWriteTraceId }: Input,
): Outcome {
  const contact = contacts.get(id);
  if (!contact) return { error: { category: 'OBJECT_NOT_FOUND', message: 'resource not found' } };
  contact.properties = { ...contact.properties, ...properties };
  return { record: { ...wire(contact), objectWriteTraceId } };
}

function readBatch(contacts: Map<string, StoredContact>, { inputs, body }: HubspotCall): Answer {
  const by = (contact: StoredContact): unknown =>
    body.idProperty === undefined ? contact.id : contact.properties[body.idProperty];
  const results = inputs.flatMap(({ id }) => [...contacts.values()].filter((contact) => by(contact) === id));
  const ids = inputs.flatMap(({ id }) => (results.some((contact) => by(contact) === id) ? [] : (id ?? [])));
  const missing = { status: 'error', category: 'OBJECT_NOT_FOUND', message: 'Could not get some.', context: { ids } };
  const errors = ids.length > 0 ? { errors: [missing], numErrors: 1 } : {};
  const reply = { status: 'COMPLETE', results: results.map((each) => shown(each, body)), ...errors };
  return { status: ids.length > 0 ? 207 : 200, body: reply };
}

function search(contacts: Map<string, StoredContact>, { body }: HubspotCall): Answer {
  const fits = (contact: StoredContact, { propertyName, operator, value }: Filter): boolean =>
    operator === 'GTE' ? +contact.createdAt >= Number(value) : String(contact.properties[propertyName]) === value;
  const groups = body.filterGroups ?? [];
  const found = [...contacts.values()].filter((contact) =>
    groups.some(({ filters }) => filters.every((filter) => fits(contact, filter))),
  );
  return { status: 200, body: { total: found.length, results: found.map((each) => shown(each, body)) } };
}

/** What is asked for and not set is null. */
function shown(contact: StoredContact, { properties = [] }: { readonly properties?: readonly string[] }): object {
  const unset = Object.fromEntries(properties.map((name) => [name, null]));
  return wire({ ...contact, properties: { ...unset, ...contact.properties } });
}

function wire({ id, createdAt, properties }: StoredContact): object {
  const moment = createdAt.toISOString();
  return hubspotRecord(id, { ...properties, createdate: moment }, moment);
}

/** HubSpot's token endpoint, with refresh tokens that are good once. */
export interface FakeTokens {
  /** Forms that were posted, in order. */
  readonly posted: Record<string, string>[];
  /** Access tokens that are answered with 401. */
  readonly expired: Set<string>;
  /** Refresh tokens that are good. */
  readonly good: Set<string>;
}

const tokenPath = '/oauth/2026-03/token';

function createFakeTokens(): FakeTokens {
  return { posted: [], expired: new Set(), good: new Set() };
}

/** What the token endpoint answers; each refresh rotates the pair. */
function answerPost(tokens: FakeTokens, text: string): Answer {
  const form = Object.fromEntries(new URLSearchParams(text));
  tokens.posted.push(form);
  const refreshToken = form['refresh_token'] ?? '';
  if (!tokens.good.delete(refreshToken))
    return { status: 400, body: { error: 'invalid_grant', status: 'BAD_REFRESH_TOKEN', message: 'no' } };
  const next = `${refreshToken}'`;
  tokens.good.add(next);
  const body = {
    access_token: `fresh-of-${refreshToken}`,
    refresh_token: next,
    expires_in: 1800,
    token_type: 'bearer',
  };
  return { status: 200, body };
}
