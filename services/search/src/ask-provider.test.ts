import { ProviderError, type FailureClass } from '@sluice/errors';
import { silentLogger } from '@sluice/telemetry';
import type { ConnectionStatus, LiveCredentials } from '@sluice/types';
import { askProvider } from './ask-provider';
import type { SearchContext } from './context';

const page = [{ id: '1', fields: {}, raw: {} }];
const refusal = (failureClass: FailureClass = 'credentials') =>
  new ProviderError({ class: failureClass, detail: 'no' });
const live = (tokenVersion: number, status: ConnectionStatus = 'working'): LiveCredentials => {
  return { connectionId: 'k1', tokenVersion, provider: 'hubspot', status, credentials: {} };
};

type Newer = () => Promise<LiveCredentials | undefined>;

/** Asks a provider that takes these versions only; tells what it was shown and what was written down. */
async function ask(good: readonly number[], newer: Newer = () => Promise.resolve(live(2, 'created'))) {
  const [shown, refreshed, written]: [number[], number[], unknown[]] = [[], [], []];
  const context = {
    logger: silentLogger,
    installations: {
      refreshCredentials: (_projectId: string, _connectionId: string, used: number) => {
        refreshed.push(used);
        return newer();
      },
    },
    store: {
      connections: {
        setStatus: ({ tokenVersion, status }: { tokenVersion: number; status: ConnectionStatus }) => {
          written.push([tokenVersion, status]);
          return Promise.resolve(true);
        },
      },
    },
  } as unknown as SearchContext;
  const outcome = await askProvider(context, 'p1', live(1), ({ tokenVersion }) => {
    shown.push(tokenVersion);
    return good.includes(tokenVersion) ? Promise.resolve(page) : Promise.reject(refusal());
  }).catch((error: unknown) => error);
  return { outcome, shown, refreshed, written };
}

describe('askProvider', () => {
  it('asks once where the token is taken', async () => {
    expect(await ask([1])).toEqual({ outcome: page, shown: [1], refreshed: [], written: [] });
  });

  it('asks once more with newer credentials, and says working of those', async () => {
    const { outcome, shown, refreshed, written } = await ask([2]);
    expect(outcome).toEqual(page);
    expect([shown, refreshed, written]).toEqual([[1, 2], [1], [[2, 'working']]]);
  });

  // The refusal speaks of the new token: the connection is marked under its version, and not asked a third time.
  it('gives up when the new token is refused too', async () => {
    const { outcome, shown, written } = await ask([]);
    expect(outcome).toMatchObject({ class: 'credentials' });
    expect([shown, written]).toEqual([[1, 2], [[2, 'bad_credentials']]]);
  });

  it('marks the connection at once when there is nothing to refresh with', async () => {
    const { outcome, shown, written } = await ask([], () => Promise.resolve(undefined));
    expect(outcome).toMatchObject({ class: 'credentials' });
    expect([shown, written]).toEqual([[1], [[1, 'bad_credentials']]]);
  });

  it('passes on why a refresh failed, and marks nothing', async () => {
    const { outcome, written } = await ask([], () => Promise.reject(refusal('unavailable')));
    expect(outcome).toMatchObject({ class: 'unavailable' });
    expect(written).toEqual([]);
  });
});
