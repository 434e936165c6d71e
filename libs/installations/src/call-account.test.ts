import { ProviderError, type FailureClass } from '@sluice/errors';
import { silentLogger } from '@sluice/telemetry';
import type { ConnectionStatus, LiveCredentials } from '@sluice/types';
import { callAccount, type AccountSource } from './call-account';

const refusal = (failureClass: FailureClass = 'credentials') =>
  new ProviderError({ class: failureClass, detail: 'no' });
const live = (tokenVersion: number, status: ConnectionStatus = 'working'): LiveCredentials => ({
  connectionId: 'k1',
  tokenVersion,
  provider: 'hubspot',
  groupRef: 'g1',
  status,
  credentials: { accessToken: `token-${tokenVersion}` },
});

type Newer = AccountSource['installations']['refreshCredentials'];

/** Asks an account that accepts these tokens only; returns the tokens it received and what was recorded. */
async function ask(
  good: readonly string[],
  newer: Newer = () => Promise.resolve(live(2, 'created')),
  failure = refusal(),
  known?: LiveCredentials,
) {
  const [shown, written]: [string[], unknown[]] = [[], []];
  const source: AccountSource = {
    logger: silentLogger,
    installations: {
      liveCredentials: () => Promise.resolve(live(1)),
      refreshCredentials: newer,
    },
    store: {
      connections: {
        setStatus: ({ tokenVersion, status }) => {
          written.push([tokenVersion, status]);
          return Promise.resolve(true);
        },
      },
    },
  };
  const outcome = await callAccount(
    source,
    { projectId: 'p1', connectionId: 'k1' },
    ({ accessToken }) => {
      shown.push(accessToken);
      return good.includes(accessToken) ? Promise.resolve('answer') : Promise.reject(failure);
    },
    known,
  ).catch((error: unknown) => error);
  return { outcome, shown, written };
}

describe('callAccount', () => {
  it('asks once where the token is taken', async () => {
    expect(await ask(['token-1'])).toEqual({ outcome: 'answer', shown: ['token-1'], written: [] });
  });

  it('asks with the credentials that the caller has read', async () => {
    const asked = await ask(['token-7'], undefined, undefined, live(7, 'created'));
    expect(asked).toEqual({ outcome: 'answer', shown: ['token-7'], written: [[7, 'working']] });
  });

  it('asks once more with newer credentials, and says working of those', async () => {
    const asked = await ask(['token-2']);
    expect(asked).toEqual({ outcome: 'answer', shown: ['token-1', 'token-2'], written: [[2, 'working']] });
  });

  // The refusal speaks of the new token: the connection is marked under its version, and not asked a third time.
  it('gives up when the new token is refused too', async () => {
    const { outcome, shown, written } = await ask([]);
    expect(outcome).toMatchObject({ class: 'credentials' });
    expect([shown, written]).toEqual([['token-1', 'token-2'], [[2, 'bad_credentials']]]);
  });

  it('marks nothing yet while a new token may not be known to all of the provider', async () => {
    const newer: Newer = (_project, _connection, _version, areFresh) =>
      areFresh === true ? Promise.reject(refusal('unavailable')) : Promise.resolve(live(2));
    const { outcome, shown, written } = await ask([], newer);
    expect(outcome).toMatchObject({ class: 'unavailable' });
    expect([shown, written]).toEqual([['token-1', 'token-2'], []]);
  });

  it('marks the connection at once when there is nothing to refresh with', async () => {
    const { outcome, written } = await ask([], () => Promise.resolve(undefined));
    expect(outcome).toMatchObject({ class: 'credentials' });
    expect(written).toEqual([[1, 'bad_credentials']]);
  });

  it('passes on why a refresh failed, and marks nothing', async () => {
    const { outcome, written } = await ask([], () => Promise.reject(refusal('unavailable')));
    expect(outcome).toMatchObject({ class: 'unavailable' });
    expect(written).toEqual([]);
  });

  it.each<FailureClass>(['unavailable', 'quota', 'timeout', 'forbidden', 'rejected'])(
    'marks nothing after %s',
    async (failureClass) => {
      const { outcome, shown, written } = await ask([], undefined, refusal(failureClass));
      expect(outcome).toMatchObject({ class: failureClass });
      expect([shown, written]).toEqual([['token-1'], []]);
    },
  );
});
