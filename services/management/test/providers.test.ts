import { useManagement } from './start-management';

const management = useManagement();

describe('200 GET providers', () => {
  it('needs no key, and lists what the connectors can do', async () => {
    const reply = await management.as().get('/v1/providers').expect(200);
    expect(Object.keys(reply.body as object).slice(0, 8)).toEqual([
      'hubspot',
      'salesforce',
      // Those that are files, in the order of their names.
      'close',
      'freshdesk',
      'klaviyo',
      'pipedrive',
      'zendeskSupport',
      'zoho',
    ]);
    expect(reply.body).toMatchObject({
      hubspot: {
        name: 'hubspot',
        displayName: 'HubSpot',
        baseURL: 'https://api.hubapi.com',
        authType: 'oauth2',
        defaultModule: '',
        providerOpts: {},
        support: {
          bulkWrite: { insert: false, update: false, upsert: false, delete: false },
          batchWrite: { create: { supported: true, defaultRecordLimit: 100 }, upsert: { supported: false } },
          write: true,
          delete: true,
          read: false,
          subscribe: false,
          proxy: false,
          search: { operators: { equals: true } },
        },
        oauth2Opts: {
          grantType: 'authorizationCode',
          explicitWorkspaceRequired: false,
          // What is registered at the provider; the same that an authorization is begun with.
          redirectURL: 'https://sluice.example/callbacks/v1/oauth',
          scopes: expect.arrayContaining([
            { scope: 'crm.objects.{object}.write', neededFor: 'write', purpose: expect.any(String) },
          ]),
        },
      },
      salesforce: {
        baseURL: 'https://{{.workspace}}.my.salesforce.com',
        support: { batchWrite: { update: { supported: true, defaultRecordLimit: 200 } } },
        oauth2Opts: { explicitWorkspaceRequired: true },
      },
    });
    expect(reply.body).toMatchObject({
      freshdesk: {
        baseURL: 'https://{{.workspace}}.freshdesk.com/api/v2',
        authType: 'basic',
        basicOpts: { apiKeyAsBasic: true, apiKeyAsBasicOpts: { fieldUsed: 'username', keyFormat: '{key}:X' } },
        metadata: { input: [{ name: 'workspace', displayName: 'Subdomain' }] },
        support: { write: true, delete: false, batchWrite: { create: { supported: false } } },
      },
      zoho: {
        authType: 'oauth2',
        metadata: { input: [{ name: 'region', displayName: 'Data center' }] },
        oauth2Opts: { authURL: 'https://accounts.zoho.{{.region}}/oauth/v2/auth', explicitWorkspaceRequired: false },
      },
      klaviyo: { apiKeyOpts: { attachmentType: 'header', header: { valuePrefix: 'Klaviyo-API-Key ' } } },
    });
    // A row of the table: connected, and nothing else.
    expect(reply.body).toMatchObject({
      stripe: { authType: 'apiKey', support: { write: false, read: false, search: { operators: { equals: false } } } },
    });
    expect(reply.text).not.toContain('null');
  });

  it('gives one by its name, the same', async () => {
    const all = (await management.as().get('/v1/providers')).body as Record<string, object>;
    const one = await management.as().get('/v1/providers/salesforce').expect(200);
    expect(one.body).toEqual(all['salesforce']);
  });
});

it('says which versions are over, of their provider only', async () => {
  const others = ['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout'];
  jest.useFakeTimers({ now: new Date('2028-10-15'), doNotFake: others as 'setTimeout'[] });
  let reply;
  try {
    reply = await management.as().get('/v1/providers').expect(200);
  } finally {
    jest.useRealTimers();
  }
  const { klaviyo, close } = reply.body as Record<string, { endedVersions?: string[] }>;
  expect([klaviyo?.endedVersions, close?.endedVersions]).toEqual([
    ['revision 2026-10-15: ended on 2028-10-15'],
    undefined,
  ]);
});

describe('problems of providers', () => {
  it.each(['hubspit', '__proto__', 'constructor', 'a'.repeat(3_000), '%F0%9F%92%A9'])('404 for %s', async (name) => {
    const reply = await management.as().get(`/v1/providers/${name}`).expect(404);
    expect(reply.body).toMatchObject({
      code: 'provider.not-in-catalogue',
      detail: expect.stringMatching(/; the nearest are \w+, \w+, \w+; GET \/v1\/providers lists all/),
    });
  });
});
