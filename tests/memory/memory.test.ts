import { createCustomer, type Customer } from '../harness/customer';
import { flood, statusesOf, type Answered, type Sent } from './flood';
import { recordsOf, startLargeProvider, type LargeProvider } from './large-provider';
import { startLimitedStack, type LimitedStack } from './limited-stack';
import type { LimitedName } from './memory-limit';

/**
 * Nothing that a caller or a provider sends ends a service that has the memory of the chart, or keeps it from answering others for a second:
 * one request at a time and many at once, hostile and merely large.
 */
let stack: LimitedStack;
let provider: LargeProvider;
let sender: Customer;
let other: Customer;

beforeAll(async () => {
  stack = await startLimitedStack({
    providerUrl: async (sandboxUrl) => {
      provider = await startLargeProvider(sandboxUrl);
      return provider.url;
    },
    // A hundred large bodies are worked on one after the other.
    env: { SLUICE_CALL_TIMEOUT_MS: '30000', SLUICE_CHECK_REPLIES: 'false' },
  });
  const objects = { provider: 'hubspot', read: ['contacts'], write: ['contacts'] } as const;
  sender = await createCustomer(stack, objects);
  other = await createCustomer(stack, objects);
});
afterAll(async () => {
  await stack.stop();
  provider.close();
});

const writeOf = ({ project, integrationId, groupRef }: Customer, more: object): Sent => ({
  url: `${stack.writeUrl}/projects/${project.id}/integrations/${integrationId}/objects/contacts`,
  headers: { 'x-api-key': project.key },
  body: Buffer.from(JSON.stringify({ groupRef, type: 'create', ...more })),
});
const searchOf = ({ project, integrationId, groupRef }: Customer): Sent => ({
  url: `${stack.searchUrl}/projects/${project.id}/integrations/${integrationId}?groupRef=${groupRef}`,
  headers: { 'x-api-key': project.key },
  body: JSON.stringify({
    objectName: 'contacts',
    fieldFilters: [{ fieldName: 'email', operator: 'eq', value: 'a@b.c' }],
  }),
});
/** The text of a field is held with two bytes a character as soon as one of its characters needs them. */
const batchOf = (bytes: number) => {
  const firstname = `漢${'x'.repeat(bytes / 100 - 60)}`;
  return Array.from({ length: 100 }, (_, at) => ({ record: { email: `r${at}@example.com`, firstname } }));
};
const times = (count: number, sent: Sent): Sent[] => Array.from({ length: count }, () => sent);
const ofService: Partial<Record<LimitedName, () => Sent>> = {
  'write-gateway': () => writeOf(other, { mode: 'asynchronous', record: { email: 'o@example.com' } }),
  search: () => searchOf(other),
};

/** Requests of another project, one after the other, while something else is going on. */
async function besides<T>(
  request: Sent | undefined,
  work: () => Promise<T>,
): Promise<{ result: T; others: Answered[] }> {
  let isOver = false;
  const others: Answered[] = [];
  const loop = (async () => {
    while (!isOver && request !== undefined) others.push(...(await flood([request])));
  })();
  const result = await work().finally(() => (isOver = true));
  await loop;
  return { result, others };
}

/** Sends, and sees that the service lives, that nobody waited for a second, and that another project was served. */
async function survives(
  name: LimitedName,
  what: string,
  sent: readonly Sent[],
  allowed: readonly number[],
): Promise<Answered[]> {
  const request = ofService[name]?.();
  const { others: quiet } = await besides(request, () => new Promise((resolve) => setTimeout(resolve, 300)));
  const { result, others } = await stack.surviving(name, what, () => besides(request, () => flood(sent)));
  const [otherMs, quietMs] = [medianMs(others), medianMs(quiet)];
  const slowdown = Math.round((10 * otherMs) / Math.max(quietMs, 1)) / 10;
  const line = { what, statuses: statusesOf(result), others: statusesOf(others), otherMs, quietMs, slowdown };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  expect(result.filter(({ status }) => !allowed.includes(status)).slice(0, 3)).toEqual([]);
  expect(others.filter(({ status }) => status !== 200).slice(0, 3)).toEqual([]);
  for (const { status, retryAfter } of result) if (status === 503) expect(retryAfter).toBeDefined();
  return result;
}

function medianMs(answers: readonly Answered[]): number {
  const sorted = answers.map(({ ms }) => ms).toSorted((one, another) => one - another);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}

describe('write gateway', () => {
  const raw = (value: string): Sent => ({
    ...writeOf(sender, {}),
    body: Buffer.from(`{"groupRef":"${sender.groupRef}","type":"create","batch":[{"record":{"a":${value}}}]}`),
  });
  const nested = (value: string, levels: number): string =>
    levels === 0 ? value : nested(`[${Array(100).fill(value).join(',')}]`, levels - 1);

  it.each([
    ['1.6 million empty lists', () => `[${'[],'.repeat(1_600_000)}[]]`],
    ['2.4 million numbers', () => `[${'1,'.repeat(2_400_000)}1]`],
    ['a million lists in lists of 100', () => nested('[]', 3)],
  ])('%s', async (what, value) => {
    const sent = raw(value());
    await survives('write-gateway', `one of ${what}`, [sent], [400]);
    await survives('write-gateway', `100 of ${what}`, times(100, sent), [400, 503]);
  });

  it('valid batches of 4.8 MB', async () => {
    const asynchronous = writeOf(sender, { mode: 'asynchronous', batch: batchOf(4_800_000) });
    await survives('write-gateway', 'one asynchronous batch of 4.8 MB', [asynchronous], [200]);
    await survives('write-gateway', '100 asynchronous batches of 4.8 MB', times(100, asynchronous), [200, 503]);
    const synchronous = writeOf(sender, { batch: batchOf(4_800_000) });
    await survives('write-gateway', '100 synchronous batches of 4.8 MB', times(100, synchronous), [200, 422, 429, 503]);
  });

  it('a thousand writes of 60 kB', async () => {
    const small = writeOf(sender, { mode: 'asynchronous', record: { firstname: 'x'.repeat(60_000) } });
    await survives('write-gateway', '1000 writes of 60 kB', times(1_000, small), [200, 503]);
  });

  it('provider replies of 10 MB', async () => {
    const results = recordsOf(9_900_000);
    const path = '/crm/v3/objects/contacts/batch/create';
    provider.answer(sender.account.token, path, JSON.stringify({ status: 'COMPLETE', results }));
    const batch = Array.from({ length: 100 }, (_, at) => ({ record: { email: `r${at}@example.com` } }));
    const sent = writeOf(sender, { batch });
    await survives('write-gateway', 'one reply of 10 MB', [sent], [200, 422, 502]);
    await survives('write-gateway', '40 replies of 10 MB', times(40, sent), [200, 422, 429, 502, 503, 504]);
    provider.answer(sender.account.token, path, undefined);
  });
});

describe('search', () => {
  const path = '/crm/v3/objects/contacts/search';
  afterEach(() => provider.answer(sender.account.token, path, undefined));

  it('provider replies of 10 MB', async () => {
    const results = recordsOf(9_900_000);
    const large = searchOf(sender);
    provider.answer(sender.account.token, path, JSON.stringify({ total: 100, results }));
    const answers = await survives('search', 'one reply of 10 MB', [large], [200]);
    expect(answers[0]?.bytes).toBeGreaterThan(9_000_000);
    await survives('search', '40 replies of 10 MB', times(40, large), [200, 429, 502, 503, 504]);
  });

  it('three million empty lists in a reply', async () => {
    provider.answer(sender.account.token, path, `{"total":1,"results":[${'[],'.repeat(3_300_000)}[]]}`);
    await survives('search', '40 replies of 3.3 million lists', times(40, searchOf(sender)), [429, 502, 503, 504]);
  });
});
