import { connectorConformance } from '@sluice/connectors/conformance';
import { ValidationError } from '@sluice/errors';
import type { WriteRequest } from '@sluice/types';
import { checkCapabilities, checkIfEmpty } from '@sluice/writes';
import { everyProvider } from './conformance/every-provider';
import { openImitations, type Imitations } from './conformance/open';

let imitations: Imitations;
beforeAll(async () => {
  imitations = await openImitations();
});
afterAll(() => imitations.close());

// The connector and the sandbox share no code: what one believes of a provider, the other must answer.
it.each(everyProvider)(
  'the connector against the sandbox keeps every promise of the suite: %s',
  async (_, imitated) => {
    const cases = connectorConformance(await imitations.open(imitated));
    const broken: string[] = [];
    for (const { name, run } of cases) {
      await run().catch((error: unknown) => broken.push(`${name}: ${String(error)}`));
    }
    expect(broken).toEqual([]);
    expect(cases.length).toBeGreaterThanOrEqual(imitated.casesMin);
  },
);

/** Longer than what any connector waits by itself. */
const retryAfterSeconds = 900;
const hourSeconds = 3_600;

// A moment is by the provider's clock, so its distance to the reply's own `Date` is the wait. Source: RFC 9110, sections 6.6.1 and 10.2.3.
it.each(everyProvider)('a wait that is asked for is what the failure says, by any clock: %s', async (_, imitated) => {
  const { connector, auth, objectName, fields, script } = await imitations.open(imitated);
  for (const form of [
    { clockAheadSeconds: hourSeconds },
    { retryAfterForm: 'date' },
    { retryAfterForm: 'date', clockAheadSeconds: hourSeconds },
    { retryAfterForm: 'date', clockAheadSeconds: -hourSeconds },
  ]) {
    await script({ match: { method: 'POST' }, action: { kind: 'status', status: 429, retryAfterSeconds, ...form } });
    const result = await connector.create?.({ auth, objectName, fields: fields('one') });
    expect(result).toMatchObject({ ok: false, error: { class: 'quota', retryAfterMs: retryAfterSeconds * 1_000 } });
  }
});

/** Requests that need a capability, and what the refusal calls it. */
const needs: readonly (readonly [string, Partial<WriteRequest>, string])[] = [
  ['delete', { type: 'delete', record: { id: '1' } }, 'does not offer deletion'],
  ['a batch of creates', { type: 'create', batch: [{ record: { a: 1 } }] }, 'does not offer batches of create'],
  ['a batch of updates', { type: 'update', batch: [{ record: { id: '1' } }] }, 'does not offer batches of update'],
  [
    'associations on create',
    { type: 'create', record: {}, associations: [{ to: { id: '1' }, types: [] }] },
    'does not offer associations on create',
  ],
  [
    'associations on update',
    { type: 'update', record: { id: '1' }, associations: [{ to: { id: '1' }, types: [] }] },
    'does not offer associations on update',
  ],
  [
    'headers',
    { type: 'create', record: {}, headers: [{ key: 'X-A', value: 'b' }] },
    'does not offer forwarded headers',
  ],
];

describe('a capability that a provider lacks', () => {
  const names = [...new Set(everyProvider.map(([, { provider }]) => provider))];

  it.each(names)('%s: is refused before any call, by its name, with who has it', async (name) => {
    const registry = imitations.registry();
    const connector = registry.get(name);
    const before = await imitations.calls();
    const refusals = needs.map(([what, request]) => {
      const refused = refusalOf(() => checkCapabilities(connector, request as WriteRequest, registry.all()));
      return [what, refused ?? 'offered'];
    });
    for (const [at, [what, , refusal]] of needs.entries()) {
      const words = `^${name} ${refusal}.*; offered by .*(hubspot|salesforce)`;
      expect(refusals[at]?.[1]).toMatch(isOffered(connector.capabilities, what) ? /^offered$/ : new RegExp(words));
    }
    const ifEmpty = refusalOf(() => checkIfEmpty(connector, [{ fields: {}, ifEmpty: ['a'] } as never], registry.all()));
    expect(ifEmpty === undefined).toBe(connector.capabilities.ifEmpty);
    expect(await imitations.calls()).toBe(before);
  });
});

type Capabilities = ReturnType<ReturnType<Imitations['registry']>['get']>['capabilities'];

/** By the table of capabilities, without the code that refuses. */
function isOffered(capabilities: Capabilities, what: string): boolean {
  const { associations } = capabilities;
  switch (what) {
    case 'delete':
      return capabilities.delete;
    case 'a batch of creates':
      return capabilities.batchCreate !== false;
    case 'a batch of updates':
      return capabilities.batchUpdate !== false;
    case 'associations on create':
      return associations !== false && associations.create;
    case 'associations on update':
      return associations !== false && associations.update;
    default:
      return capabilities.forwardedHeaders;
  }
}

/** @returns the words of the refusal; undefined when there was none */
function refusalOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    const isRefusal = error instanceof ValidationError && error.code === 'write.capability-missing';
    if (!isRefusal) throw error;
    return error.detail;
  }
}
