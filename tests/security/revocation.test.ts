import { setTimeout as sleep } from 'node:timers/promises';
import { tokenIssuer, until } from '@sluice/testkit';
import { ask, call } from '../harness/api';
import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';

const stack = sharedStack();
let customer: Customer;
beforeAll(async () => {
  customer = await createCustomer(stack, { provider: 'hubspot', read: ['contacts'], write: ['contacts'] });
});

type Credentials = Readonly<Record<string, string>>;
/** Sends one request with these credentials; replies with its status. */
type Door = (credentials: Credentials) => Promise<number>;

/** A request to each base URL, which the credentials of this test may send until they are revoked. */
function doorsOf({ project, groupRef, integrationId }: Customer): Readonly<Record<string, Door>> {
  const integration = `projects/${project.id}/integrations/${integrationId}`;
  const fieldFilters = [{ fieldName: 'email', operator: 'eq', value: 'nobody@example.com' }];
  let sent = 0;
  return {
    management: async (headers) => (await ask(project.url, { method: 'GET', headers })).status,
    search: async (headers) => {
      const url = `${stack.searchUrl}/${integration}?groupRef=${groupRef}`;
      return (await ask(url, { headers, body: { objectName: 'contacts', fieldFilters } })).status;
    },
    write: async (headers) => {
      const record = { email: `revoked-${(sent += 1)}@example.com` };
      const later = { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1_440 } };
      const url = `${stack.writeUrl}/${integration}/objects/contacts`;
      return (await ask(url, { headers, body: { groupRef, type: 'create', record, ...later } })).status;
    },
  };
}

interface Sent {
  readonly atMs: number;
  readonly answeredAtMs: number;
  readonly status: number;
}

interface Knocking {
  readonly credentials: Credentials;
  readonly pauseMs: number;
  /** What was sent is added. */
  readonly sent: Sent[];
  readonly isOver: () => boolean;
}

/** Times that each door is tried at least, before and after. */
const openings = 3;

/**
 * A process remembers a key for a second from when it was read, which is before the reply to the caller; a busy machine may take as long
 * again between the two.
 */
const memoryMs = 2_000;

/** Searches take of the account's quota, 110 calls in ten seconds: faster, they would be refused for that. */
const pausesMs: Readonly<Record<string, number>> = { search: 120 };

/** Sends again and again until it is stopped. */
async function knock(door: Door, { credentials, pauseMs, sent, isOver }: Knocking): Promise<void> {
  while (!isOver()) {
    const atMs = performance.now();
    const status = await door(credentials);
    sent.push({ atMs, status, answeredAtMs: performance.now() });
    await sleep(pauseMs);
  }
}

/** Credentials, and what takes them out of force. */
interface Revocable {
  readonly credentials: Credentials;
  readonly revoke: () => Promise<unknown>;
}

async function apiKey(change: object | 'DELETE'): Promise<Revocable> {
  const { url, key } = customer.project;
  const made = await call<{ id: string; key: string }>(`${url}/api-keys`, { key, body: { label: 'revocable' } });
  const method = change === 'DELETE' ? { method: 'DELETE' } : { method: 'PATCH', body: change };
  const revoke = () => call(`${url}/api-keys/${made.id}`, { key, ...method });
  return { credentials: { 'x-api-key': made.key }, revoke };
}

async function token(change: object | 'DELETE'): Promise<Revocable> {
  const { url, key } = customer.project;
  const issuer = tokenIssuer();
  const body = { label: 'revocable', algorithm: 'RS256', publicKeyPem: issuer.publicKeyPem };
  const { kid } = await call<{ kid: string }>(`${url}/jwt-keys`, { key, body });
  const authorization = `Bearer ${issuer.issue(kid, { groupRef: customer.groupRef })}`;
  const method = change === 'DELETE' ? { method: 'DELETE' } : { method: 'PATCH', body: change };
  const revoke = () => call(`${url}/jwt-keys/${kid}`, { key, ...method });
  return { credentials: { authorization }, revoke };
}

/** Revokes once every door is open, and waits until each was tried out of force. @returns when it was asked for, and when it was answered */
async function revokeBetween(isTried: (sinceMs: number) => true | undefined, revoke: Revocable['revoke']) {
  await until('every door was opened', () => isTried(0));
  const askedAt = performance.now();
  await revoke();
  const revokedAt = performance.now();
  await until('every door was tried a second later', () => isTried(revokedAt + memoryMs));
  return [askedAt, revokedAt] as const;
}

// Reliability 4.1, row 7; ASVS 8.3.2. Under load, so that every process has the key in its memory.
it.each<[string, () => Promise<Revocable>]>([
  ['an API key that is deleted', () => apiKey('DELETE')],
  ['an API key that is switched off', () => apiKey({ updateMask: ['active'], apiKey: { active: false } })],
  ['a JWT key that is deleted', () => token('DELETE')],
  ['a JWT key that is switched off', () => token({ updateMask: ['active'], jwtKey: { active: false } })],
])('[sec-7] %s opens none of the three base URLs a second later', async (_case, make) => {
  const { credentials, revoke } = await make();
  let isOver = false;
  const doors = Object.entries(doorsOf(customer));
  const sentTo = new Map<string, Sent[]>(doors.map(([name]) => [name, []]));
  const countOf = (name: string, sinceMs: number) =>
    (sentTo.get(name) ?? []).filter(({ atMs }) => atMs > sinceMs).length;
  const knocking = Promise.all(
    doors.map(([name, door]) =>
      knock(door, { credentials, pauseMs: pausesMs[name] ?? 20, sent: sentTo.get(name) ?? [], isOver: () => isOver }),
    ),
  );
  const isTried = (sinceMs: number) => doors.every(([name]) => countOf(name, sinceMs) > openings) || undefined;
  let [askedAt, revokedAt] = [0, 0];
  try {
    [askedAt, revokedAt] = await revokeBetween(isTried, revoke);
  } finally {
    isOver = true;
    await knocking;
  }
  for (const [name] of doors) {
    const sent = sentTo.get(name) ?? [];
    const before = sent.filter(({ answeredAtMs }) => answeredAtMs < askedAt).map(({ status }) => status);
    const after = sent.filter(({ atMs }) => atMs > revokedAt + memoryMs).map(({ status }) => status);
    expect([name, [...new Set(before)]]).toEqual([name, [200]]);
    expect([name, [...new Set(after)]]).toEqual([name, [401]]);
  }
});

it('[sec-7] a scope that is taken away is gone a second later, at each base URL', async () => {
  const { url, key } = customer.project;
  const doors = doorsOf(customer);
  const made = await call<{ id: string; key: string }>(`${url}/api-keys`, { key, body: { label: 'scoped' } });
  const credentials = { 'x-api-key': made.key };
  for (const door of Object.values(doors)) expect(await door(credentials)).toBe(200);
  const body = { updateMask: ['scopes'], apiKey: { scopes: ['search'] } };
  await call(`${url}/api-keys/${made.id}`, { method: 'PATCH', key, body });
  await sleep(memoryMs);
  expect(await doors['management']?.(credentials)).toBe(403);
  expect(await doors['write']?.(credentials)).toBe(403);
  expect(await doors['search']?.(credentials)).toBe(200);
});
