import { PassThrough } from 'node:stream';
import { createLogger } from '@sluice/telemetry';
import type { ProviderStub } from '../test/provider-stub';
import { useStubbedConnectors } from '../test/stubbed-connectors';
import type { Auth } from './requests';

let stub: ProviderStub;
const { open } = useStubbedConnectors((opened) => ({ stub } = opened));

/** A logger whose lines can be read. */
function recordingLogger() {
  const destination = new PassThrough({ encoding: 'utf8' });
  const chunks: string[] = [];
  destination.on('data', (chunk: string) => chunks.push(chunk));
  const parsed = (line: string) => JSON.parse(line) as Record<string, unknown>;
  const lines = () => chunks.join('').split('\n').filter(Boolean).map(parsed);
  return { logger: createLogger({ service: 'test', level: 'info', destination }), lines };
}

const gone = (body: unknown) => ({ status: 410, body });
const klaviyoError = { status: 410, code: 'revision_retired', title: 'Gone', detail: 'This revision is retired.' };
const acme: Auth = { accessToken: 'token-12345', workspaceRef: 'acme' };
const cases: readonly (readonly [string, string, unknown, Auth])[] = [
  ['klaviyo', 'profiles', { errors: [klaviyoError] }, { accessToken: 'pk_1', kind: 'apiKey' }],
  ['close', 'lead', '<h1>Gone</h1>', { accessToken: 'k', kind: 'apiKey' }],
  ['salesforce', 'Contact', [{ errorCode: 'UNSUPPORTED_API_VERSION', message: 'Invalid Api version' }], acme],
  ['hubspot', 'contacts', { status: 'error', message: 'This version is no longer available' }, acme],
];

// No record is at fault, and sending on would only fail the next: what waits stays, until the version is moved.
test.each(cases)('%s answers 410: the account waits, and it is said once', async (provider, objectName, body, auth) => {
  const { lines, logger } = recordingLogger();
  const connector = open({ logger }).get(provider);
  stub.replyWith(gone(body));
  const fields = { email: 'a@b.co', LastName: 'A' };
  for (const each of [1, 2, 3]) {
    const call = { auth: { ...auth, accessToken: `${auth.accessToken}${each}` }, objectName, fields };
    expect(await connector.create?.(call)).toMatchObject({
      ok: false,
      error: {
        class: 'unavailable',
        scope: 'lane',
        status: 410,
        retryAfterMs: 900_000,
        message: expect.stringMatching(/^The provider file asks for a version that is over: /),
      },
    });
  }
  const said = lines().filter(({ event }) => event === 'provider.version-over');
  expect(said).toMatchObject([{ level: 'warn', provider, remedy: expect.stringContaining('pins.md') }]);
});

// A code says it under any status.
test.each<[string, string, unknown, number]>([
  ['salesforce', 'Contact', [{ errorCode: 'UNSUPPORTED_API_VERSION', message: 'Invalid Api version' }], 404],
  ['klaviyo', 'profiles', { errors: [klaviyoError] }, 400],
])('%s, %s, %j with %i: the account waits', async (provider, objectName, body, status) => {
  stub.replyWith({ status, body });
  const { lines, logger } = recordingLogger();
  const auth = provider === 'salesforce' ? acme : { accessToken: 'pk_1', kind: 'apiKey' as const };
  const result = await open({ logger })
    .get(provider)
    .create?.({ auth, objectName, fields: { email: 'a@b.co' } });
  expect(result).toMatchObject({ error: { class: 'unavailable', scope: 'lane', retryAfterMs: 900_000 } });
  expect(lines().map(({ event }) => event)).toContain('provider.version-over');
});

// There a record that was deleted is gone for good.
test('a 410 of one record of Pipedrive is of that record', async () => {
  stub.replyWith(gone({ success: false, error: 'Deal is deleted' }));
  const call = {
    auth: { accessToken: 'k', kind: 'apiKey' as const },
    objectName: 'deals',
    recordId: '7',
    fields: { title: 'x' },
  };
  expect(await open().get('pipedrive').update?.(call)).toMatchObject({
    error: { class: 'not-found', scope: 'record' },
  });
});
