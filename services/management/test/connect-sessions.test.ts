import type { ConnectObject, ConnectSession } from '@sluice/types';
import { codeOf, position, token, useConnect } from './connect-fixture';

const { management, its, give, order, create, open, browse, installations, connections, sessions, expire } =
  useConnect();

describe('[sec-52] POST P/connect-sessions', () => {
  it('answers a link whose token stands in the fragment, and keeps only its hash', async () => {
    const { url, token: secret, expireTime } = await create();
    expect(url).toBe(`https://sluice.example/connect#${secret}`);
    expect(secret).toMatch(new RegExp(`^${its.project.id}\\.[\\w-]{43}$`));
    const leftMs = Date.parse(expireTime) - Date.now();
    expect(leftMs).toBeGreaterThan(1_740_000);
    expect(leftMs).toBeLessThan(1_860_000);
    const [row] = await sessions().select<object[]>('*');
    expect(JSON.stringify(row)).not.toContain(secret.split('.')[1]);
  });

  it.each([
    ['full', 201],
    ['write', 201],
    ['frontend', 403],
    ['read', 403],
    ['search', 403],
  ])('by a key of scope %s: %i', async (scope, status) => {
    const key = await management.newKey(its.project.id, [scope]);
    await management.as(key).post(`${its.base}/connect-sessions`).send(order('nothing')).expect(status);
  });

  it('leads back to an origin that the project lists, and names the list otherwise', async () => {
    const returnTo = (returnUrl: string, status: number) =>
      its.send
        .post(`${its.base}/connect-sessions`)
        .send({ ...order('nothing'), returnUrl })
        .expect(status);
    expect((await returnTo('https://app.example/back', 422)).body).toMatchObject({
      code: 'connect-session.invalid',
      issues: [{ name: 'returnUrl', detail: expect.stringContaining('it lists none') }],
    });
    const origins = ['https://app.example', 'https://b.example:8443'];
    const change = (connectOrigins: string[]) =>
      its.send.patch(its.base).send({ updateMask: ['connectOrigins'], project: { connectOrigins } });
    expect((await change(origins).expect(200)).body).toMatchObject({ connectOrigins: origins });
    await returnTo('https://app.example/back?at=1', 201);
    // Loopback is for a service that is on loopback itself.
    for (const other of [
      'https://app.example.evil.example/',
      'http://app.example/',
      'https://app.example:444/',
      'https://app.example@evil.example/',
      'https://user@app.example/',
      'javascript:alert(1)',
      'blob:https://app.example/a',
      'http://localhost:3000/',
    ]) {
      const { body } = await returnTo(other, 422);
      expect(body).toMatchObject({
        issues: [{ name: 'returnUrl', detail: expect.stringContaining(origins.join(', ')) }],
      });
    }
    for (const bad of ['https://app.example/', 'http://app.example', 'app.example', 'https://APP.example'])
      expect((await change([bad]).expect(400)).body).toMatchObject({ issues: [{ name: 'project.connectOrigins[0]' }] });
  });

  it('refuses an integration that is not there, and one that no page of ours can connect', async () => {
    const ask = (integration: string) =>
      its.send.post(`${its.base}/connect-sessions`).send({ ...order('nothing'), integration });
    expect(codeOf((await ask('other').expect(404)).body)).toBe('integration.not-found');
    const content = { name: 'desk', provider: 'zendeskSupport', read: { objects: [{ objectName: 'tickets' }] } };
    const latestRevision = { specVersion: '1.0.0', content };
    await its.send
      .post(`${its.base}/integrations`)
      .send({ name: 'desk', provider: 'zendeskSupport', latestRevision })
      .expect(201);
    expect((await ask('desk').expect(422)).body).toMatchObject({
      code: 'connect-session.invalid',
      detail: expect.stringContaining('no provider app of zendeskSupport'),
    });
  });
});

describe('[sec-52] the page', () => {
  it('says who asks for what, and opening it uses nothing up', async () => {
    await its.send
      .patch(its.base)
      .send({ updateMask: ['connectColor'], project: { connectColor: '#0b5fff' } })
      .expect(200);
    const { token: secret } = await create('required');
    // As a mail scanner does.
    for (let opened = 0; opened < 3; opened += 1) await open(secret).load();
    expect(await open(secret).load()).toMatchObject({
      state: 'open',
      app: { name: 'App', color: '#0b5fff' },
      session: {
        group: 'Acme',
        provider: { name: 'hubspot', displayName: 'HubSpot' },
        integration: 'required',
        reads: ['contacts'],
        writes: ['contacts'],
        ways: ['page', 'apiKey'],
        hasChoices: true,
      },
    });
    expect(await sessions().whereNull('cookie_hash')).toHaveLength(1);
    await open(secret).connect();
  });

  // Nothing but the customer's browser takes part after the provider sent it back, and not even that need read the reply.
  it('installs on the server in the request that brings the code', async () => {
    const browser = await browse();
    await browser.load();
    const reply = await browser.back(await browser.allow()).expect(303);
    expect(reply.headers['location']).toMatch(/^https:\/\/sluice\.example\/connect#/);
    const [connection] = await connections();
    expect(connection).toMatchObject({
      group: { groupRef: 'acme', groupName: 'Acme' },
      consumer: { consumerRef: 'ann' },
    });
    expect(await installations()).toMatchObject([
      { connection: { id: connection?.id }, createdBy: 'consumer:ann', config: { createdBy: 'consumer:ann' } },
    ]);
    expect(await browser.load()).toMatchObject({ state: 'done', session: { account: '4711' } });
  });

  it('installs with typed credentials, which the provider is asked about', async () => {
    const browser = await browse();
    await browser.load();
    expect((await browser.submit('/credentials', { apiKey: 'wrong' }).expect(422)).body).toMatchObject({
      issues: [{ name: 'apiKey', detail: expect.stringContaining('is refused by HubSpot') }],
    });
    expect((await browser.submit('/credentials', { apiKey: token }).expect(200)).body).toMatchObject({ state: 'done' });
    expect(await installations()).toMatchObject([{ connection: { authScheme: 'apiKey' } }]);
  });

  it('takes no input that the provider does not ask for', async () => {
    const browser = await browse();
    await browser.load();
    const inputs = { colour: 'red' };
    for (const reply of [
      await browser.submit('/credentials', { apiKey: token, inputs }),
      await browser.submit('/authorization', { inputs }),
    ])
      expect(reply).toMatchObject({ status: 422, body: { issues: [{ name: 'inputs.colour' }] } });
    expect(await connections()).toEqual([]);
  });

  it('installs with the defaults where only optional fields are left, and then takes the choice once', async () => {
    const browser = await browse('optional');
    expect(await browser.connect()).toMatchObject({ state: 'installed' });
    expect(await installations()).toHaveLength(1);
    // Another account cannot be connected by it any more.
    expect(codeOf((await browser.submit('/authorization').expect(409)).body)).toBe('connect-session.used');
    const phone = { contacts: { selectedFields: { phone: true } } };
    const chosen = { content: { read: { objects: phone } } };
    expect((await browser.submit('/choices', chosen).expect(200)).body).toMatchObject({ state: 'done' });
    expect(await installations()).toMatchObject([{ config: { content: { read: { objects: phone } } } }]);
    expect(codeOf((await browser.submit('/choices', chosen).expect(409)).body)).toBe('connect-session.used');
  });

  it("asks for a required mapping among the account's fields, and refuses another at the field", async () => {
    const browser = await browse('required');
    expect(await browser.connect()).toMatchObject({ state: 'connected' });
    expect(await installations()).toEqual([]);
    expect((await browser.choices().expect(200)).body).toMatchObject({
      objects: [
        {
          objectName: 'contacts',
          optionalFields: [{ name: 'phone', displayName: 'PHONE', isChosen: false }],
          mappings: [{ mapToName: 'position', isRequired: true, field: 'jobtitle' }],
          fields: [{ fieldName: 'email' }, { fieldName: 'jobtitle' }, { fieldName: 'phone' }],
        },
      ],
    });
    const choose = (contacts: object) => browser.submit('/choices', { content: { read: { objects: { contacts } } } });
    const at = 'content.read.objects.contacts.selectedFieldMappings.position';
    const refusals: [object, string, string][] = [
      [{}, at, 'is required'],
      [{ selectedFieldMappings: { position: '' } }, at, 'is required'],
      [{ selectedFieldMappings: { position: 'jobtitel' } }, at, 'did you mean jobtitle?'],
      [
        { selectedFields: { email: true }, selectedFieldMappings: { position: 'jobtitle' } },
        'content.read.objects.contacts.selectedFields.email',
        'no optional field',
      ],
      [
        { selectedFieldMappings: { position: 'jobtitle', boss: 'email' } },
        'content.read.objects.contacts.selectedFieldMappings.boss',
        'no mapping',
      ],
    ];
    for (const [contacts, name, sentence] of refusals) {
      expect((await choose(contacts).expect(422)).body).toMatchObject({
        code: 'connect-session.invalid',
        issues: [{ name, detail: expect.stringContaining(sentence) }],
      });
    }
    expect(await installations()).toEqual([]);
    await choose({ selectedFieldMappings: { position: 'jobtitle' } }).expect(200);
    expect(await installations()).toMatchObject([
      { config: { content: { read: { objects: { contacts: { selectedFieldMappings: { position: 'jobtitle' } } } } } } },
    ]);
  });

  it('offers every field of the account with optionalFieldsAuto, all chosen, and keeps what is taken away', async () => {
    const browser = await browse('all');
    expect(await browser.connect()).toMatchObject({ state: 'installed', session: { hasChoices: true } });
    const chosen = async (): Promise<object> => {
      const { objects } = (await browser.choices().expect(200)).body as { objects: readonly ConnectObject[] };
      return Object.fromEntries((objects[0]?.optionalFields ?? []).map((field) => [field.displayName, field.isChosen]));
    };
    // Not the one that is required: it is read whatever the customer says.
    expect(await chosen()).toEqual({ Telephone: true, JOBTITLE: true });
    const without = (field: string) => ({
      content: { read: { objects: { contacts: { selectedFields: { [field]: false } } } } },
    });
    expect((await browser.submit('/choices', without('jobtitel')).expect(422)).body).toMatchObject({
      issues: [
        {
          name: 'content.read.objects.contacts.selectedFields.jobtitel',
          detail: expect.stringContaining('did you mean jobtitle?'),
        },
      ],
    });
    await browser.submit('/choices', without('jobtitle')).expect(200);
    expect(await installations()).toMatchObject([{ config: { content: without('jobtitle').content } }]);
    const again = await browse('all');
    await again.load();
    const { objects } = (await again.choices().expect(200)).body as { objects: readonly ConnectObject[] };
    expect(objects[0]?.optionalFields.find(({ name }) => name === 'jobtitle')?.isChosen).toBe(false);
  });

  it('says which inputs can be left empty, by the way, and asks for those that cannot', async () => {
    const app = { provider: 'salesforce', clientId: 'client', clientSecret: 'canary-secret', scopes: ['api'] };
    await its.send.post(`${its.base}/provider-apps`).send(app).expect(200);
    const content = { name: 'sales', provider: 'salesforce', read: { objects: [{ objectName: 'Contact' }] } };
    const latestRevision = { specVersion: '1.0.0', content };
    await its.send
      .post(`${its.base}/integrations`)
      .send({ name: 'sales', provider: 'salesforce', latestRevision })
      .expect(201);
    const { body } = await its.send
      .post(`${its.base}/connect-sessions`)
      .send({ ...order('nothing'), integration: 'sales' });
    const browser = open((body as ConnectSession).token);
    const { session } = await browser.load();
    expect(session?.ways).toEqual(['page', 'oauth2ClientCredentials', 'oauth2PasswordCredentials']);
    const [input] = session?.inputs ?? [];
    expect([input?.displayName, input?.optionalFor.includes('page')]).toEqual(['My Domain', true]);
    expect(input?.optionalFor).toContain('oauth2PasswordCredentials');
    expect(input?.optionalFor).not.toContain('oauth2ClientCredentials');
    await browser.submit('/authorization', { inputs: { workspace: '' } }).expect(200);
    const client = { clientId: 'c', clientSecret: 's' };
    const sent = { oauth2ClientCredentials: client, inputs: { workspace: '' } };
    expect((await browser.submit('/credentials', sent).expect(422)).body).toMatchObject({
      issues: [{ name: 'inputs.workspace', detail: 'is required' }],
    });
  });

  it('connects the same account again, and refuses another', async () => {
    await (await browse()).connect();
    const [before] = await connections();
    await management.database('connections').where({ id: before?.id }).update({ status: 'bad_credentials' });
    const other = await browse();
    expect(await other.load()).toMatchObject({
      state: 'open',
      session: { installed: { isRefused: true }, account: '4711' },
    });
    give('connect-other', 8);
    await other.back(await other.allow()).expect(303);
    expect(await other.load()).toMatchObject({
      state: 'open',
      session: { failure: expect.stringContaining('4711') },
    });
    expect(await connections()).toMatchObject([{ id: before?.id, status: 'bad_credentials' }]);
    give(token, 4711);
    expect(await other.connect()).toMatchObject({ state: 'done' });
    expect(await connections()).toMatchObject([{ id: before?.id, status: 'created' }]);
    expect(await installations()).toHaveLength(1);
  });

  it('of two links of one group that are open at once, the second connects no other account', async () => {
    const [first, second] = [await browse(), await browse()];
    await first.load();
    await second.load();
    const [back, late] = [await first.allow(), await second.allow()];
    await first.back(back).expect(303);
    give('connect-other', 8);
    await second.back(late).expect(303);
    expect(await second.load()).toMatchObject({
      state: 'open',
      session: { installed: { isRefused: false }, account: '4711', failure: expect.stringContaining('meanwhile') },
    });
    expect(await connections()).toHaveLength(1);
    expect(await first.load()).toMatchObject({ state: 'done' });
  });

  it('of two links of one group that both wait for a choice, the second changes nothing of the first', async () => {
    const [first, second] = [await browse('required'), await browse('required')];
    await first.connect();
    await second.load();
    give('connect-other', 8);
    await second.connect();
    // What its page shows are the fields of the account that it connected.
    const { connectionId } = (await second.load()).session ?? {};
    await first.submit('/choices', position('jobtitle')).expect(200);
    const [before] = await installations();
    const late = { ...position('phone'), connectionId };
    expect(codeOf((await second.submit('/choices', late).expect(409)).body)).toBe('connect-session.used');
    expect(await installations()).toEqual([before]);
    expect(await second.load()).toMatchObject({
      state: 'open',
      session: { account: '4711', failure: expect.stringContaining('meanwhile') },
    });
  });

  it('changes what was chosen, and leaves the rest of the config', async () => {
    await (await browse('optional')).connect();
    const [{ id, integrationId } = { id: '', integrationId: '' }] = await installations();
    await its.send
      .patch(`${its.base}/integrations/${integrationId}/installations/${id}`)
      .send({
        updateMask: ['config.content.write.objects.contacts'],
        installation: { config: { content: { write: { objects: { contacts: { objectName: 'contacts' } } } } } },
      })
      .expect(200);
    const browser = await browse('optional');
    expect(await browser.load()).toMatchObject({ session: { installed: { isRefused: false }, hasChoices: true } });
    const objects = { contacts: { selectedFields: { phone: true } } };
    await browser.submit('/choices', { content: { read: { objects } } }).expect(200);
    expect(await installations()).toMatchObject([
      { id, config: { content: { read: { objects }, write: { objects: { contacts: {} } } } } },
    ]);
  });
});

describe('[sec-52] a session that is not, or not any more, to be used', () => {
  it('does not install again what was taken back while the customer chose', async () => {
    const browser = await browse('optional');
    expect(await browser.connect()).toMatchObject({ state: 'installed' });
    const [{ id, integrationId } = { id: '', integrationId: '' }] = await installations();
    await its.send.delete(`${its.base}/integrations/${integrationId}/installations/${id}`).expect(204);
    expect(codeOf((await browser.submit('/choices').expect(409)).body)).toBe('connect-session.used');
    expect(await installations()).toEqual([]);
  });

  it('belongs to the browser that submitted first', async () => {
    const { token: secret } = await create();
    const [mine, other] = [open(secret), open(secret)];
    await mine.load();
    await other.load();
    await mine.submit('/authorization').expect(200);
    expect(await other.load()).toEqual({ state: 'other-browser', app: { name: 'App' } });
    for (const path of ['/authorization', '/credentials', '/choices'])
      expect(codeOf((await other.submit(path).expect(403)).body)).toBe('connect-session.other-browser');
    await other.choices().expect(403);
    // What was begun here does not end there: the code of a person who was sent the address connects nothing.
    const back = await mine.allow();
    expect((await other.back(back).expect(400)).text).toContain('another browser');
    expect(await connections()).toEqual([]);
    expect(await mine.load()).toMatchObject({ state: 'open' });
    await mine.connect();
    expect(await other.load()).toEqual({ state: 'used', app: { name: 'App' } });
  });

  it('takes nothing from a browser without its cookie', async () => {
    const browser = await browse();
    expect((await browser.submit('/authorization').expect(403)).body).toMatchObject({
      code: 'connect-session.other-browser',
      remedy: expect.stringContaining('Allow cookies'),
    });
  });

  it('is used once: links, states and tabs that come again change nothing', async () => {
    const browser = await browse();
    await browser.load();
    const [back, second] = [await browser.allow(), await browser.allow()];
    await browser.back(back).expect(303);
    await browser.back(back).expect(400);
    give('connect-other', 8);
    await browser.back(second).expect(303);
    expect(await connections()).toHaveLength(1);
    for (const path of ['/authorization', '/credentials', '/choices'])
      expect(codeOf((await browser.submit(path).expect(409)).body)).toBe('connect-session.used');
    expect(await browser.load()).toMatchObject({ state: 'done' });
  });

  it('has expired, whether it was begun or not', async () => {
    const [fresh, begun] = [await browse(), await browse()];
    await fresh.load();
    await begun.load();
    const back = await begun.allow();
    await expire();
    for (const browser of [fresh, begun]) {
      expect(await browser.load()).toEqual({ state: 'expired', app: { name: 'App' } });
      expect(codeOf((await browser.submit('/authorization').expect(410)).body)).toBe('connect-session.expired');
    }
    await begun.back(back).expect(303);
    expect(await connections()).toEqual([]);
  });

  it('was used where it has installed, also when its time is over before a choice', async () => {
    const browser = await browse('optional');
    expect(await browser.connect()).toMatchObject({ state: 'installed' });
    await expire();
    expect(await browser.load()).toEqual({ state: 'used', app: { name: 'App' } });
    expect(codeOf((await browser.submit('/choices').expect(409)).body)).toBe('connect-session.used');
  });

  it("is of no key, no other project's path and no guessed token", async () => {
    const { token: secret } = await create();
    const ask = (path: string, authorization: string) => management.as().get(path).set('Authorization', authorization);
    await its.send.get(`${its.base}/connect-session`).expect(401);
    await ask(`${its.base}/connect-session`, `Bearer ${its.project.key}`).expect(404);
    await ask(`${its.base}/connect-session`, `Bearer ${its.project.id}.${'A'.repeat(43)}`).expect(404);
    const other = await management.newProject();
    await ask(`/v1/projects/${other.id}/connect-session`, `Bearer ${secret}`).expect(404);
    // And the token is no credential elsewhere.
    await ask(`${its.base}/connections`, `Bearer ${secret}`).expect(401);
  });

  it('is gone a day after its end, and with its project', async () => {
    const { token: secret } = await create();
    await create();
    await sessions()
      .where({ group_ref: 'acme' })
      .update({ expires_at: management.database.raw(`now() - interval '23 hours'`) });
    expect(await management.context.store.connectSessions.purge(10)).toBe(0);
    await sessions()
      .limit(1)
      .update({ expires_at: management.database.raw(`now() - interval '25 hours'`) });
    expect(await management.context.store.connectSessions.purge(10)).toBe(2);
    const reply = await management.as().get(`${its.base}/connect-session`).set('Authorization', `Bearer ${secret}`);
    expect(codeOf(reply.body)).toBe('connect-session.not-found');
    await create();
    await its.send.delete(its.base).expect(204);
    expect(await sessions()).toEqual([]);
  });
});
