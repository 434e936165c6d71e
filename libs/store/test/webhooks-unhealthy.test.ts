import type { WebhookEvent } from '@sluice/types';
import { sealed, useWebhookFixture } from './webhook-fixture';

const fixture = useWebhookFixture();

const email = 'secret-of-a-customer@example.com';
const problems = [{ field: 'email', code: 'INVALID_EMAIL', message: `${email} is wrong` }];
const failure = {
  index: 0,
  kind: 'failed',
  error: { class: 'rejected', text: `${email} is wrong`, problems },
} as const;
const success = { index: 0, kind: 'succeeded', providerId: 'id-0' } as const;

async function claimed() {
  await fixture.accept();
  return await fixture.claimOne({ perLane: 10 });
}
async function write(outcome: typeof failure | typeof success, times = 1): Promise<void> {
  for (let n = 0; n < times; n += 1) await fixture.settle(await claimed(), [outcome]);
}
/** Of all endpoints, oldest first. */
async function alerts(): Promise<WebhookEvent[]> {
  const rows: { payload: string }[] = await fixture
    .database('webhook_messages')
    .where({ project_id: fixture.seeded.projectId, type: 'installation.unhealthy' })
    .orderBy('id')
    .select('payload');
  return rows.map(({ payload }) => JSON.parse(payload) as WebhookEvent);
}
const reasons = async () => (await alerts()).map(({ data }) => 'reason' in data && data.reason);
async function healthOf(): Promise<string | undefined> {
  const { projectId, integrationId, installationId } = fixture.seeded;
  return (await fixture.store.installations.find(projectId, integrationId, installationId))?.healthStatus;
}
const connection = () => ({ projectId: fixture.seeded.projectId, connectionId: fixture.seeded.connectionId });

describe('operations', () => {
  it('the fifth failure in a row is reported, once, without a value or a text of the provider', async () => {
    await fixture.addEndpoint(['installation.unhealthy']);
    await write(failure, 4);
    expect([await healthOf(), await alerts()]).toEqual(['healthy', []]);
    await write(failure);
    expect(await healthOf()).toBe('unhealthy');
    await write(failure, 2);
    const { projectId, integrationId, installationId, connectionId, groupRef } = fixture.seeded;
    expect(await alerts()).toEqual([
      {
        version: '1',
        id: expect.any(String),
        notificationType: 'installation.unhealthy',
        createTime: expect.any(String),
        data: {
          projectId,
          provider: 'hubspot',
          integrationId,
          integrationName: expect.any(String),
          installationId,
          groupRef,
          groupName: groupRef,
          connectionId,
          consumerRef: 'user-1',
          consumerName: 'user-1',
          reason: 'operations_failed',
        },
      },
    ]);
    expect(JSON.stringify(await alerts())).not.toContain(email);
  });

  it('after a success the next five failures are reported again', async () => {
    await fixture.addEndpoint();
    await write(failure, 5);
    await write(success);
    await write(failure, 4);
    expect(await reasons()).toEqual(['operations_failed']);
    await write(failure);
    expect(await reasons()).toEqual(['operations_failed', 'operations_failed']);
  });

  it('an operation that is under way heals nothing, and hides nothing', async () => {
    await fixture.addEndpoint();
    await write(failure, 5);
    const call = await claimed();
    expect(await healthOf()).toBe('unhealthy');
    await fixture.settle(call, [failure]);
    expect([await healthOf(), await reasons()]).toEqual(['unhealthy', ['operations_failed']]);
  });

  it('five that fail at once are reported once, in whichever transactions', async () => {
    await fixture.addEndpoint();
    for (let round = 0; round < 5; round += 1) {
      const calls = [];
      for (let n = 0; n < 5; n += 1) calls.push(await claimed());
      await Promise.all(calls.map((call) => fixture.settle(call, [failure])));
      expect(await reasons()).toHaveLength(round + 1);
      await write(success);
    }
  });

  it('a project that no endpoint watches is reported at the next failure after one does', async () => {
    await write(failure, 5);
    await fixture.addEndpoint(['write.async.done']);
    await write(failure);
    expect(await reasons()).toEqual([]);
    await fixture.addEndpoint(['installation.*']);
    await write(failure);
    expect(await reasons()).toEqual(['operations_failed']);
  });

  it('what an uninstall ends is no news', async () => {
    await fixture.addEndpoint();
    for (let n = 0; n < 6; n += 1) await fixture.accept();
    await fixture.store.installations.remove(fixture.seeded);
    expect(await reasons()).toEqual([]);
  });
});

describe('the connection', () => {
  const refuse = (tokenVersion = 1) =>
    fixture.store.connections.setStatus({ ...connection(), tokenVersion, status: 'bad_credentials' });

  it('that is refused is reported with its installation, and again after new credentials', async () => {
    await fixture.addEndpoint();
    const call = await claimed();
    await refuse();
    await refuse();
    expect(await reasons()).toEqual(['bad_credentials']);
    // A reply that was under way when the account was revoked.
    await fixture.settle(call, [success]);
    await fixture.store.connections.saveTokens({ ...connection(), tokenVersion: 1, sealed });
    await refuse(2);
    expect(await reasons()).toEqual(['bad_credentials', 'bad_credentials']);
    await fixture.store.connections.change({ ...connection(), credentials: { sealed } });
    await fixture.store.connections.change({ ...connection(), providerMetadata: null });
    await refuse(3);
    expect(await reasons()).toHaveLength(3);
  });

  it('whose new credentials leave five failures behind heals nothing', async () => {
    await fixture.addEndpoint();
    await write(failure, 5);
    await refuse();
    await fixture.store.connections.saveTokens({ ...connection(), tokenVersion: 1, sealed });
    await write(failure);
    expect(await reasons()).toEqual(['operations_failed']);
  });

  it('of an installation that is made, or that moves to it, is reported when it is refused', async () => {
    await fixture.addEndpoint(['installation.unhealthy']);
    const { projectId, integrationId, revisionId, groupRef } = fixture.seeded;
    const owner = {
      projectId,
      provider: 'hubspot',
      consumerRef: 'user-2',
      authScheme: 'apiKey',
      seal: () => sealed,
    } as const;
    const other = await fixture.store.connections.create({ ...owner, groupRef });
    await fixture.store.connections.setStatus({
      projectId,
      connectionId: other.id,
      tokenVersion: 1,
      status: 'bad_credentials',
    });
    expect(await reasons()).toEqual([]);
    const move = (connectionId: string) =>
      fixture.store.installations.change(fixture.seeded, ({ content }) => ({ connectionId, content, createdBy: 'x' }));
    await move(other.id);
    expect(await reasons()).toEqual(['bad_credentials']);
    await move(fixture.seeded.connectionId);
    await move(other.id);
    expect(await reasons()).toHaveLength(2);
    const second = await fixture.store.connections.create({ ...owner, groupRef: 'group-2' });
    await fixture.store.connections.setStatus({
      projectId,
      connectionId: second.id,
      tokenVersion: 1,
      status: 'bad_credentials',
    });
    await fixture.store.installations.create({
      projectId,
      integrationId,
      groupRef: 'group-2',
      connectionId: second.id,
      createdBy: 'consumer:user-2',
      config: { revisionId, content: { provider: 'hubspot' }, createdBy: 'builder:x' },
    });
    expect(await reasons()).toHaveLength(3);
  });
});
