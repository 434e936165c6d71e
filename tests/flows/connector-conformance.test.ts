import { connectorConformance } from '@sluice/connectors/conformance';
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
