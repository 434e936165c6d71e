import { randomUUID } from 'node:crypto';
import { call } from '../harness/api';
import { everyProvider } from './conformance/every-provider';
import { openGround, type Ground } from './conformance/open';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

/** Longer than what any connector waits by itself. */
const retryAfterSeconds = 900;
const hourSeconds = 3_600;

/** A moment is by the provider's clock, so its distance to the reply's own `Date` is the wait. Source: RFC 9110, sections 6.6.1 and 10.2.3. */
describe.each(everyProvider)('%s: a wait that is asked for', (_, words) => {
  it.each([
    ['in seconds, by a clock an hour ahead', { clockAheadSeconds: hourSeconds }],
    ['as a date', { retryAfterForm: 'date' }],
    ['as a date, by a clock an hour ahead', { retryAfterForm: 'date', clockAheadSeconds: hourSeconds }],
    ['as a date, by a clock an hour behind', { retryAfterForm: 'date', clockAheadSeconds: -hourSeconds }],
  ])('%s: is what the failure says', async (_form, form) => {
    const { connector, auth, objectName, fields } = await ground.open(words);
    const action = { kind: 'status', status: 429, retryAfterSeconds, ...form };
    await call(`${ground.sandbox.url}/_sandbox/faults`, { body: { match: { method: 'POST' }, action } });
    const result = await connector.create?.({ auth, objectName, fields: fields(randomUUID()) });
    expect(result).toMatchObject({ ok: false, error: { class: 'quota', retryAfterMs: retryAfterSeconds * 1_000 } });
  });
});
