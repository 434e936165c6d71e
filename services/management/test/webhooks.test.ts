import type { CreatedWebhookEndpoint, WebhookEndpoint, WebhookMessageListReply } from '@sluice/types';
import { startReceiver, type Receiver } from './start-receiver';
import { startWebhooks, type WebhookFixture } from './webhook-fixture';

let fixture: WebhookFixture;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver((response) => response.writeHead(200).end());
  fixture = await startWebhooks();
});
afterAll(async () => {
  await fixture.stop();
  await receiver.close();
});

const url = 'https://receiver.example.com/hooks';
/** In a project of its own: a project has few endpoints. */
async function newProject() {
  const project = await fixture.management.newProject();
  const as = fixture.management.as(project.key);
  const path = (rest = '') => `/v1/projects/${project.id}/webhook-endpoints${rest}`;
  const create = async (more: object = {}) =>
    (
      await as
        .post(path())
        .send({ url, ...more })
        .expect(201)
    ).body as CreatedWebhookEndpoint;
  return { project, as, path, create };
}

describe('200 and 201', () => {
  it('POST makes an endpoint that gets everything, with its secret; GET shows it without', async () => {
    const { project, as, path, create } = await newProject();
    const made = await create({ description: 'ours' });
    expect(made).toEqual({
      id: expect.any(String),
      projectId: project.id,
      kind: 'webhook',
      url,
      description: 'ours',
      eventTypes: ['write.async.done', 'connection.*', 'installation.*', 'endpoint.disabled'],
      status: 'enabled',
      createTime: expect.any(String),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { secret, ...shown } = made;
    const [one, all] = [await as.get(path(`/${made.id}`)).expect(200), await as.get(path()).expect(200)];
    const read = { ...shown, lastDay: { delivered: 0, failed: 0 } };
    expect([one.body, all.body]).toEqual([read, [read]]);
    expect(one.text + all.text).not.toContain(secret);
    expect((await as.get(path(`/${made.id}/secret`)).expect(200)).body).toEqual({ secret });
  });

  it('PATCH changes what the mask names; a disabled endpoint says why', async () => {
    const { as, path, create } = await newProject();
    const { id, secret: _secret, ...made } = await create();
    const change = async (updateMask: string[], webhookEndpoint: object) =>
      (
        await as
          .patch(path(`/${id}`))
          .send({ updateMask, webhookEndpoint })
          .expect(200)
      ).body as WebhookEndpoint;
    const eventTypes = ['connection.error'];
    expect(await change(['eventTypes'], { eventTypes, url: 'https://ignored.example.com' })).toEqual({
      ...made,
      id,
      eventTypes,
      updateTime: expect.any(String),
    });
    expect(await change(['status'], { status: 'disabled' })).toMatchObject({
      status: 'disabled',
      disabledReason: 'request',
    });
    expect(await change(['status'], { status: 'enabled' })).not.toHaveProperty('disabledReason');
  });

  it('rotates the secret, and says which one signs besides and until when', async () => {
    const { as, path, create } = await newProject();
    const { id, secret } = await create();
    const first = (await as.post(path(`/${id}:rotate-secret`)).expect(200)).body as Record<string, string>;
    expect(first).toEqual({
      secret: expect.stringMatching(/^whsec_/),
      previousSecret: secret,
      previousUntilTime: expect.any(String),
    });
    expect(first['secret']).not.toBe(secret);
    const hours = (Date.parse(first['previousUntilTime'] ?? '') - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThan(24.1);
    expect((await as.get(path(`/${id}/secret`)).expect(200)).body).toEqual(first);
    const second = (await as.post(path(`/${id}:rotate-secret`)).expect(200)).body as Record<string, string>;
    expect(second['previousSecret']).toBe(first['secret']);
  });

  it('lists messages newest first, by page and by status, and deletes them with their endpoint', async () => {
    const { as, path, create } = await newProject();
    const { id } = await create({ url: receiver.url });
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.unshift(((await as.post(path(`/${id}:test`)).expect(202)).body as { id: string }).id);
    }
    const list = async (query: string) =>
      (await as.get(path(`/${id}/messages?${query}`)).expect(200)).body as WebhookMessageListReply;
    const first = await list('pageSize=2');
    expect(first.results.map((message) => message.id)).toEqual(ids.slice(0, 2));
    const second = await list(`pageSize=2&pageToken=${first.pagination.nextPageToken}`);
    expect(second).toMatchObject({ results: [{ id: ids[2] }], pagination: { done: true } });
    expect((await list('status=failed')).results).toEqual([]);
    await as.delete(path(`/${id}`)).expect(204);
    await as.get(path(`/${id}/messages`)).expect(404);
    await as.delete(path(`/${id}`)).expect(404);
  });

  it('notifies of a connection that is made over the API, and of nothing where the filter asks for something else', async () => {
    const { as, path, create, project } = await newProject();
    const [asks, asksNot] = [await create({ url: receiver.url }), await create({ eventTypes: ['installation.*'] })];
    fixture.management.hubspot.outcomes.set('pat-na1-told', { portalId: 4711 });
    await as
      .post(`/v1/projects/${project.id}/connections:generate`)
      .send({ groupRef: 'acme', consumerRef: 'ann', provider: 'hubspot', apiKey: 'pat-na1-told' })
      .expect(201);
    const messagesOf = async ({ id }: { id: string }) =>
      ((await as.get(path(`/${id}/messages`)).expect(200)).body as WebhookMessageListReply).results;
    expect(await messagesOf(asks)).toMatchObject([{ notificationType: 'connection.created' }]);
    expect(await messagesOf(asksNot)).toEqual([]);
    const [message] = await messagesOf(asks);
    const shown = await as.get(path(`/${asks.id}/messages/${message?.id}`)).expect(200);
    expect(shown.body).toMatchObject({ payload: { id: message?.id, data: { groupRef: 'acme', consumerRef: 'ann' } } });
    expect(shown.text).not.toContain('pat-na1-told');
  });
});

describe('400', () => {
  it.each([
    ['no URL', { url: 'receiver' }, 'must be an absolute URL'],
    ['a password', { url: 'https://ann:secret@receiver.example.com' }, 'must not hold a user name or a password'],
    ['a private address', { url: 'https://192.168.0.1/' }, 'must not be a private or reserved address'],
  ])('%s, said without the value', async (_, body, detail) => {
    const { as, path, create } = await newProject();
    const { id } = await create();
    const made = await as.post(path()).send(body).expect(400);
    expect(made.body).toMatchObject({ issues: [{ in: 'body', name: 'url', detail }] });
    expect(made.text).not.toContain('ann:secret');
    const changed = await as
      .patch(path(`/${id}`))
      .send({ updateMask: ['url'], webhookEndpoint: body })
      .expect(400);
    expect(changed.body).toMatchObject({ issues: [{ name: 'webhookEndpoint.url', detail }] });
  });

  it.each([
    ['an unknown type', { eventTypes: ['read.triggered.done'] }],
    ['a secret of theirs', { secret: 'whsec_AAAA' }],
  ])('%s', async (_, more) => {
    const { as, path } = await newProject();
    await as
      .post(path())
      .send({ url, ...more })
      .expect(400);
  });

  it('a replay that does not say since when', async () => {
    const { as, path, create } = await newProject();
    const { id } = await create();
    await as.post(path(`/${id}:replay`)).expect(400);
    await as.post(path(`/${id}:replay?since=yesterday`)).expect(400);
  });
});

describe('404 and 409', () => {
  it('an endpoint that is disabled takes no message', async () => {
    const { as, path, create } = await newProject();
    const { id } = await create();
    await as.patch(path(`/${id}`)).send({ updateMask: ['status'], webhookEndpoint: { status: 'disabled' } });
    for (const rest of [':test', ':replay?since=2026-01-01T00:00:00Z']) {
      expect((await as.post(path(`/${id}${rest}`)).expect(409)).body).toMatchObject({
        code: 'webhook-endpoint.disabled',
      });
    }
  });

  it('the twenty-first endpoint of a project', async () => {
    const { as, path, create } = await newProject();
    for (let n = 0; n < 20; n += 1) await create();
    expect((await as.post(path()).send({ url }).expect(409)).body).toMatchObject({ code: 'webhook-endpoint.too-many' });
  });
});
