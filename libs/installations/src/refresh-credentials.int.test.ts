import { createSecretKey, randomBytes } from 'node:crypto';
import type { FreshTokens } from '@sluice/connectors';
import { DependencyError } from '@sluice/errors';
import { createStore, openDatabase, type Store } from '@sluice/store';
import { createLogger, silentLogger } from '@sluice/telemetry';
import { cloneDatabase, seedInstallation, until, type ClonedDatabase, patientLimits } from '@sluice/testkit';
import type { Credentials } from '@sluice/types';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTokenProvider, type TokenProvider } from '../test/token-provider';
import { createInstallations, type InstallationsOptions } from './create-installations';

const ring = new Map([['k1', createSecretKey(randomBytes(32))]]);
const keyring = { currentId: 'k1', key: (id: string) => ring.get(id) };
const clientSecret = 'canary-client-secret';

let clone: ClonedDatabase;
let store: Store;
let database: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  clone = await cloneDatabase();
  store = createStore({ url: clone.url, applicationName: 'refresh-test', limits: patientLimits });
  database = openDatabase({ url: clone.url, poolMax: 2, applicationName: 'refresh-test', limits: patientLimits });
});

afterAll(async () => {
  await database.destroy();
  await store.close();
  await clone.drop();
});

/** One process's installations. */
const processOn = (provider: TokenProvider, o: Partial<InstallationsOptions> = {}) =>
  createInstallations({ store, keyring, connectors: provider.connectors, logger: silentLogger, ...o });

interface Scene {
  readonly credentials?: Credentials;
  /** Registers an app. @default true */
  readonly hasApp?: boolean;
}

async function scene({ credentials, hasApp = true }: Scene = {}) {
  const provider = createTokenProvider();
  const mine = processOn(provider);
  const tokens = credentials ?? { accessToken: 'access-0', refreshToken: 'refresh-0' };
  const seal = (id: string) => mine.seal({ noun: 'connection', id }, tokens);
  const { projectId, connectionId } = await seedInstallation(store, { seal });
  const register = () =>
    store.providerApps.create({
      projectId,
      provider: 'hubspot',
      clientId: 'client-1',
      seal: (id) => mine.seal({ noun: 'provider app', id }, clientSecret),
    });
  if (hasApp) await register();
  return {
    provider,
    mine,
    projectId,
    connectionId,
    register,
    refresh: (version: number, by = mine) => by.refreshCredentials(projectId, connectionId, version),
    stored: () => store.connections.findCredentials(projectId, connectionId),
    row: () => database('connections').where({ project_id: projectId, id: connectionId }).first(),
    /** Makes the stored token end this long from now, in milliseconds. */
    endIn: async (ms: number) => {
      const at = database.raw('now() + make_interval(secs => ?::float8 / 1000)', [ms]);
      const refreshAt = database.raw(`now() + make_interval(secs => ?::float8 / 1000)`, [ms - 120_000]);
      await database('connections')
        .where({ project_id: projectId, id: connectionId })
        .update({ token_expires_at: at, token_refresh_at: refreshAt });
    },
  };
}

describe('one refresh per connection [sec-44]', () => {
  // The provider refuses a refresh token that is used twice, so a second refresh would lose the customer.
  it('is made by two processes with 500 operations at once, and all of them get the same new token', async () => {
    const { provider, mine, refresh, stored } = await scene();
    provider.before = () => sleep(300);
    const otherStore = createStore({ url: clone.url, applicationName: 'refresh-test-2', limits: patientLimits });
    const other = processOn(provider, { store: otherStore });
    const got = await Promise.all(Array.from({ length: 500 }, (_, at) => refresh(1, at % 2 === 0 ? mine : other)));
    await otherStore.close();
    expect(provider.asked).toHaveLength(1);
    expect(got.map((live) => [live?.tokenVersion, live?.status, live?.credentials.accessToken])).toEqual(
      got.map(() => [2, 'created', 'access-1']),
    );
    expect(await stored()).toMatchObject({ tokenVersion: 2, status: 'created', isExpiring: false });
  });

  it('is made with the app and its opened secret, and the lease ends with it', async () => {
    const { provider, refresh, row } = await scene();
    await refresh(1);
    expect(provider.asked).toMatchObject([
      { refreshToken: 'refresh-0', clientId: 'client-1', clientSecret, workspaceRef: '424242' },
    ]);
    const stored = (await row()) as Record<string, unknown>;
    expect(stored).toMatchObject({ refresh_lease_until: null, token_version: 2, status: 'created' });
    const expiresInMs = (stored['token_expires_at'] as Date).getTime() - Date.now();
    expect(expiresInMs).toBeGreaterThan(1_740_000);
    expect(expiresInMs).toBeLessThanOrEqual(1_801_000);
    expect(JSON.stringify(stored)).not.toMatch(/access-1|refresh-1/);
  });

  // A 401 for an old token proves nothing about the one that replaced it.
  it('goes on from the rotated pair, and is not made for a token that was replaced already', async () => {
    const { provider, refresh } = await scene();
    const renewed = { credentials: { accessToken: 'access-1', refreshToken: 'refresh-1' } };
    expect(await refresh(1)).toMatchObject(renewed);
    expect(await refresh(1)).toMatchObject(renewed);
    expect(await refresh(2)).toMatchObject({ tokenVersion: 3, credentials: { accessToken: 'access-2' } });
    expect(provider.asked).toHaveLength(2);
  });

  it('is waited for while another process holds the lease, and taken over when that one is gone', async () => {
    const { provider, refresh, projectId, connectionId } = await scene();
    const version = { projectId, connectionId, tokenVersion: 1 };
    expect(await store.connections.takeRefreshLease(version, 600_000)).toEqual(expect.any(String));
    expect(await store.connections.takeRefreshLease(version, 600_000)).toBeUndefined();
    const refreshed = refresh(1);
    await sleep(500);
    expect(provider.asked).toEqual([]);
    const own = { project_id: projectId, id: connectionId };
    await database('connections').where(own).update({ refresh_lease_until: database.fn.now() });
    expect(await refreshed).toMatchObject({ tokenVersion: 2 });
    expect(provider.asked).toHaveLength(1);
  });

  it('is not made where there is nothing to refresh with', async () => {
    const key = await scene({ credentials: { apiKey: 'key' } });
    const bare = await scene({ credentials: { accessToken: 'access-0' } });
    expect(await key.refresh(1)).toBeUndefined();
    expect(await bare.refresh(1)).toBeUndefined();
    expect([...key.provider.asked, ...bare.provider.asked]).toEqual([]);
  });
});

describe('before the token ends', () => {
  it('liveCredentials refreshes it, once, and leaves a young one alone', async () => {
    const { provider, mine, projectId, connectionId, endIn } = await scene();
    const live = () => mine.liveCredentials(projectId, connectionId);
    await endIn(600_000);
    expect(await live()).toMatchObject({ tokenVersion: 1 });
    await endIn(119_000);
    const got = await Promise.all(Array.from({ length: 5 }, live));
    expect(got.map(({ tokenVersion }) => tokenVersion)).toEqual([2, 2, 2, 2, 2]);
    expect(await live()).toMatchObject({ tokenVersion: 2, credentials: { accessToken: 'access-1' } });
    expect(provider.asked).toHaveLength(1);
  });

  // A token that lives a minute would otherwise be refreshed for each call.
  it('uses a short-lived token for most of its life', async () => {
    const { provider, mine, projectId, connectionId, refresh } = await scene();
    provider.lifeMs = 60_000;
    await refresh(1);
    await mine.liveCredentials(projectId, connectionId);
    expect(provider.asked).toHaveLength(1);
  });

  it('goes on with the token there is while it cannot be refreshed', async () => {
    const { provider, mine, projectId, connectionId, endIn, stored } = await scene();
    await endIn(60_000);
    provider.failing = 'unavailable';
    expect(await mine.liveCredentials(projectId, connectionId)).toMatchObject({
      tokenVersion: 1,
      credentials: { accessToken: 'access-0' },
    });
    expect(await stored()).toMatchObject({ status: 'created', tokenVersion: 1 });
  });
});

describe('before the token of a grant that is gone ends', () => {
  // Nothing is sent with it any more; a call on a connection that is known to be refused leaves the word to the provider.
  it('liveCredentials says so once, and asks no more', async () => {
    const { provider, mine, projectId, connectionId, endIn, stored } = await scene();
    await endIn(60_000);
    provider.failing = 'credentials';
    await expect(mine.liveCredentials(projectId, connectionId)).rejects.toMatchObject({ class: 'credentials' });
    expect(await stored()).toMatchObject({ status: 'bad_credentials', isExpiring: true });
    const asked = provider.asked.length;
    expect(await mine.liveCredentials(projectId, connectionId)).toMatchObject({ status: 'bad_credentials' });
    expect(provider.asked).toHaveLength(asked);
  });
});

describe('a refresh that fails', () => {
  it('because the grant is gone: bad_credentials, after it was asked twice', async () => {
    const { provider, refresh, stored, row } = await scene();
    provider.failing = 'credentials';
    await expect(refresh(1)).rejects.toMatchObject({ class: 'credentials' });
    expect(provider.asked).toHaveLength(2);
    expect(await stored()).toMatchObject({ status: 'bad_credentials', tokenVersion: 1 });
    expect(await row()).toMatchObject({ refresh_lease_until: null });
  });

  // A process that was slow to save: the other must not believe the refusal of the token that was just rotated.
  it('because another process had just rotated the pair: the new pair, and no bad_credentials', async () => {
    const { provider, mine, refresh, stored, projectId, connectionId } = await scene();
    provider.failing = 'credentials';
    provider.before = async () => {
      provider.before = () => Promise.resolve();
      const sealed = mine.seal(
        { noun: 'connection', id: connectionId },
        { accessToken: 'access-9', refreshToken: 'refresh-9' },
      );
      await store.connections.saveTokens({ projectId, connectionId, tokenVersion: 1, sealed });
    };
    expect(await refresh(1)).toMatchObject({ tokenVersion: 2, credentials: { accessToken: 'access-9' } });
    expect(await stored()).toMatchObject({ status: 'created', tokenVersion: 2 });
    expect(provider.asked).toHaveLength(1);
  });

  it.each(['unavailable', 'timeout', 'quota', 'unknown'] as const)(
    'for the moment (%s): nothing changes, and it is asked once by all who ask at once',
    async (failureClass) => {
      const { provider, refresh, stored, row } = await scene();
      provider.failing = failureClass;
      const failed = await Promise.allSettled([refresh(1), refresh(1), refresh(1)]);
      for (const each of failed) expect(each).toMatchObject({ status: 'rejected', reason: { class: 'unavailable' } });
      expect(provider.asked).toHaveLength(1);
      expect(await stored()).toMatchObject({ status: 'created', tokenVersion: 1 });
      expect(await row()).toMatchObject({ refresh_lease_until: null });
    },
  );

  // Another system of the customer may share the grant, so our own lease does not keep a second refresh away.
  it('without a word that the grant has ended: a failure of the moment, and the next one is asked for', async () => {
    const { provider, refresh, stored, projectId, connectionId, mine } = await scene();
    provider.failing = 'credentials';
    provider.refusalMeta = { triesMax: 4, status: 400 };
    await expect(refresh(1)).rejects.toMatchObject({ class: 'unavailable', retryAfterMs: 2_000 });
    expect(provider.asked).toHaveLength(1);
    expect(await stored()).toMatchObject({ status: 'created', tokenVersion: 1 });
    provider.failing = undefined;
    expect(await refresh(1, processOn(provider))).toMatchObject({ tokenVersion: 2, status: 'created' });
    await store.connections.setStatus({ projectId, connectionId, tokenVersion: 2, status: 'bad_credentials' });
    provider.failing = 'credentials';
    await expect(mine.refreshCredentials(projectId, connectionId, 2)).rejects.toMatchObject({ class: 'credentials' });
  });

  it('before the provider has said a word: no app is blamed', async () => {
    const { provider, projectId, connectionId } = await scene();
    provider.failing = 'rejected';
    provider.refusalMeta = {};
    const { lines, logger } = recordingLogger();
    const failed = processOn(provider, { logger }).refreshCredentials(projectId, connectionId, 1);
    await expect(failed).rejects.toMatchObject({ class: 'unavailable', detail: expect.not.stringMatching(/PATCH/) });
    expect(lines()).toEqual([]);
  });

  it('because the app is refused: the connection stays, the error names app and remedy, and it is logged for a person', async () => {
    const { provider, projectId, connectionId, stored } = await scene();
    provider.failing = 'rejected';
    const { lines, logger } = recordingLogger();
    const failed = processOn(provider, { logger }).refreshCredentials(projectId, connectionId, 1);
    const app = await store.providerApps.findNewest(projectId, 'hubspot');
    await expect(failed).rejects.toMatchObject({
      class: 'unavailable',
      detail: expect.stringMatching(
        new RegExp(`provider app ${app?.id} \\(client id client-1\\).*PATCH provider-apps/`),
      ),
    });
    expect(await stored()).toMatchObject({ status: 'created', tokenVersion: 1 });
    expect(lines()).toMatchObject([{ level: 'error', event: 'provider-app.refused', providerAppId: app?.id }]);
    expect(JSON.stringify(lines())).not.toMatch(/canary|refresh-0|access-0/);
  });

  // Source: specification, Connection status: "or an attempt to refresh the access token, hit credential problems".
  it('because there is no app: all waiting calls get the missing app, and work resumes once it is registered', async () => {
    const { provider, projectId, connectionId, stored, refresh, register } = await scene({ hasApp: false });
    const failed = await Promise.allSettled([
      refresh(1),
      refresh(1, processOn(provider)),
      refresh(1, processOn(provider)),
    ]);
    for (const each of failed) {
      const reason = { class: 'unavailable', detail: expect.stringContaining('POST provider-apps') };
      expect(each).toMatchObject({ status: 'rejected', reason });
    }
    expect(await stored()).toMatchObject({ status: 'bad_credentials', tokenVersion: 1 });
    await register();
    expect(await processOn(provider).refreshCredentials(projectId, connectionId, 1)).toMatchObject({ tokenVersion: 2 });
  });
});

// The refresh token was valid once: whatever address the reply names, the pair is in force, and the next refresh proves it.
describe('a refresh whose reply names an address', () => {
  const keyed = ({ projectId, connectionId }: Awaited<ReturnType<typeof scene>>) => ({ projectId, connectionId });

  it('of the provider: the connection is there from the same moment on, and says so', async () => {
    const made = await scene();
    const { provider, refresh, stored, row } = made;
    const { lines, logger } = recordingLogger();
    const before = { region: { value: 'eu', source: 'input' }, plan: { value: 'gold', source: 'input' } };
    await database('connections')
      .where({ project_id: made.projectId, id: made.connectionId })
      .update({ provider_metadata: JSON.stringify(before) });
    provider.says = { metadata: { region: 'in' } };
    const live = await refresh(1, processOn(provider, { logger }));
    expect(live).toMatchObject({ tokenVersion: 2, metadata: { region: 'in', plan: 'gold' } });
    expect(await stored()).toMatchObject({ tokenVersion: 2, metadata: { region: 'in', plan: 'gold' } });
    const { provider_metadata: metadata } = (await row()) as { provider_metadata: string };
    expect(JSON.parse(metadata)).toEqual({ ...before, region: { value: 'in', source: 'token' } });
    expect(lines()).toMatchObject([
      { event: 'connection.refreshed' },
      { level: 'warn', event: 'connection.address-changed', ...keyed(made), tokenVersion: 2, to: { region: 'in' } },
    ]);
    provider.says = {};
    expect(await refresh(2)).toMatchObject({ tokenVersion: 3, metadata: { region: 'in' } });
  });

  it.each<[string, Partial<FreshTokens>, string]>([
    ['of somebody else', { refusedAddress: "names 'https://evil.example'" }, "names 'https://evil.example'"],
    ['of another account', { workspaceRef: '777' }, 'hubspot names the workspace 777; the connection stays at 424242'],
  ])('%s: the pair is kept, the connection stays where it was, and the log says so', async (_, says, reason) => {
    const made = await scene();
    const { provider, refresh, stored } = made;
    const { lines, logger } = recordingLogger();
    const before = await stored();
    provider.says = says;
    const live = await refresh(1, processOn(provider, { logger }));
    expect(live).toMatchObject({ tokenVersion: 2, status: 'created', workspaceRef: '424242' });
    const { workspaceRef, metadata } = before ?? {};
    expect(await stored()).toMatchObject({ tokenVersion: 2, status: 'created', workspaceRef });
    expect((await stored())?.metadata).toEqual(metadata);
    expect(lines()).toMatchObject([
      { event: 'connection.refreshed' },
      { level: 'warn', event: 'connection.address-refused', ...keyed(made), reason: expect.stringContaining(reason) },
    ]);
    expect(await refresh(2)).toMatchObject({ tokenVersion: 3, credentials: { refreshToken: 'refresh-2' } });
    expect(provider.asked).toHaveLength(2);
  });

  // A name in an address may change; the provider's own id of the account does not.
  it.each<[string, string | undefined, Partial<FreshTokens>, string]>([
    ['under a new name: followed', '00D1', { workspaceRef: 'acme-new', accountId: '00D1' }, 'acme-new'],
    ['of another account under a new name: stays', '00D1', { workspaceRef: 'acme-new', accountId: '00D2' }, '424242'],
    ['under a new name, without an id: stays', '00D1', { workspaceRef: 'acme-new' }, '424242'],
    [
      'under a new name, whose id nobody knew before: stays',
      undefined,
      { workspaceRef: 'n', accountId: '00D1' },
      '424242',
    ],
  ])('of the account %s', async (_, known, says, expected) => {
    const { provider, refresh, stored, projectId, connectionId } = await scene();
    await database('lanes')
      .where({ project_id: projectId })
      .update({ account_id: known ?? null });
    const { lane_id: before } = await database('connections').where({ id: connectionId }).first();
    provider.says = says;
    const { lines, logger } = recordingLogger();
    expect(await refresh(1, processOn(provider, { logger }))).toMatchObject({ workspaceRef: expected });
    expect(await stored()).toMatchObject({ tokenVersion: 2, workspaceRef: expected });
    expect(lines()[1]?.event).toBe(`connection.address-${expected === 'acme-new' ? 'changed' : 'refused'}`);
    const { lane_id: after } = await database('connections').where({ id: connectionId }).first();
    expect(after).toBe(before);
    const lane = await database('lanes').where({ project_id: projectId, id: after }).first();
    expect(lane).toMatchObject({ account_id: known ?? null, account_ref: expected });
  });

  it('of the account itself teaches its id, once', async () => {
    const { provider, refresh, projectId } = await scene();
    for (const [at, accountId] of ['00D1', '00D2'].entries()) {
      provider.says = { workspaceRef: '424242', accountId };
      await refresh(at + 1);
      expect(await database('lanes').where({ project_id: projectId }).first('account_id')).toEqual({
        account_id: '00D1',
      });
    }
  });

  it('of the account itself says nothing', async () => {
    const { provider, refresh } = await scene();
    const { lines, logger } = recordingLogger();
    provider.says = { workspaceRef: '424242' };
    await refresh(1, processOn(provider, { logger }));
    expect(lines().map(({ event }) => event)).toEqual(['connection.refreshed']);
  });

  // Another process saved its own pair meanwhile: ours changes nothing, not even the address.
  it('moves nothing with a pair that came too late', async () => {
    const { provider, mine, refresh, stored, projectId, connectionId } = await scene();
    provider.says = { metadata: { region: 'in' } };
    provider.before = async () => {
      const sealed = mine.seal(
        { noun: 'connection', id: connectionId },
        { accessToken: 'access-9', refreshToken: 'refresh-9' },
      );
      await store.connections.saveTokens({ projectId, connectionId, tokenVersion: 1, sealed });
    };
    expect(await refresh(1)).toMatchObject({ tokenVersion: 2, credentials: { accessToken: 'access-9' } });
    expect((await stored())?.metadata).toBeUndefined();
  });
});

describe('a fresh pair that cannot be saved', () => {
  // The old refresh token is dead by then: the pair must not be thrown away because the database blinks.
  it('is offered again until the database is back, and given to its users only then', async () => {
    const { provider, projectId, connectionId, stored } = await scene();
    const { lines, logger } = recordingLogger();
    let fails = 3;
    const saveTokens: Store['connections']['saveTokens'] = (tokens) => {
      fails -= 1;
      if (fails >= 0) return Promise.reject(new DependencyError({ code: 'service.unavailable', detail: 'away' }));
      return store.connections.saveTokens(tokens);
    };
    const blinking = { ...store, connections: { ...store.connections, saveTokens } };
    const live = await processOn(provider, { store: blinking, logger }).refreshCredentials(projectId, connectionId, 1);
    expect(live).toMatchObject({ tokenVersion: 2, credentials: { accessToken: 'access-1' } });
    expect(await stored()).toMatchObject({ tokenVersion: 2 });
    expect(provider.asked).toHaveLength(1);
    expect(lines().map(({ level, event }) => [level, event])).toEqual([
      ['error', 'connection.tokens-not-saved'],
      ['info', 'connection.refreshed'],
    ]);
  });
});

// What a kill leaves behind is a lease that nobody ends, and a promise that nobody keeps.
describe('[sec-44] a process that is killed while it refreshes', () => {
  const kills = 50;
  const atOnce = 10;
  const dead = () => new Promise<never>(() => undefined);
  type Scenery = Awaited<ReturnType<typeof scene>>;

  /** A connection whose refresh was begun by a process that died, and whose lease has run out since. */
  async function killed(hasGrace: boolean, at: 'before the reply' | 'after the reply'): Promise<Scenery> {
    const made = await scene();
    const { provider, projectId, connectionId } = made;
    provider.hasGrace = hasGrace;
    if (at === 'before the reply') provider.before = dead;
    void made.refresh(1, processOn(provider, { failpoints: { hit: dead } }));
    await until('the refresh to be asked for', () => provider.asked.length > 0 || undefined);
    provider.before = () => Promise.resolve();
    const own = { project_id: projectId, id: connectionId };
    await database('connections').where(own).update({ refresh_lease_until: null });
    return made;
  }

  /** How many of these connections are `bad_credentials` after the next refresh reports it. */
  async function flagged(...how: Parameters<typeof killed>): Promise<number> {
    const scenes: Scenery[] = [];
    while (scenes.length < kills) scenes.push(await killed(...how));
    let count = 0;
    for (let from = 0; from < kills; from += atOnce) {
      const some = scenes.slice(from, from + atOnce);
      const outcomes = await Promise.allSettled(some.map(({ refresh }) => refresh(1)));
      const stored = await Promise.all(some.map((each) => each.stored()));
      const isBad = stored.map((each) => each?.status === 'bad_credentials');
      expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(isBad);
      count += isBad.filter(Boolean).length;
    }
    return count;
  }

  it('before the provider has answered: nobody is flagged', async () => {
    expect(await flagged(false, 'before the reply')).toBe(0);
  });

  it('between the reply and the save, at a provider with a grace for the old token: nobody is flagged', async () => {
    expect(await flagged(true, 'after the reply')).toBe(0);
  });

  it('between the reply and the save, at a strict provider: exactly those are flagged', async () => {
    expect(await flagged(false, 'after the reply')).toBe(kills);
  });
});

/** A logger whose lines can be read. */
function recordingLogger() {
  const destination = new PassThrough({ encoding: 'utf8' });
  const chunks: string[] = [];
  destination.on('data', (chunk: string) => chunks.push(chunk));
  const lines = () => {
    const written = chunks.join('').split('\n').filter(Boolean);
    return written.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { logger: createLogger({ service: 'test', level: 'info', destination }), lines };
}
