import type { OAuthState } from '@sluice/store';
import { startScriptedProvider, type ScriptedProvider } from '@sluice/testkit';
import type { Connection } from '@sluice/types';
import { createTokenEndpoint } from './fake-providers';
import { startManagement, type ProjectWithKey, type RunningManagement } from './start-management';

const provider = 'zoho';
const tokens = createTokenEndpoint();
/** What each exchange of a code knew of the account, oldest first. */
const exchanged: OAuthState['providerMetadata'][] = [];
let [zoho, management, project] = [
  undefined as never as ScriptedProvider,
  undefined as never as RunningManagement,
  {} as ProjectWithKey,
];

beforeAll(async () => {
  zoho = await startScriptedProvider((call) =>
    call.method === 'POST' ? tokens.answer(call) : { status: 200, body: { org: [{ id: '7', primary_zuid: '8' }] } },
  );
  const watched: Parameters<typeof startManagement>[0] = ({ installations }) => ({
    installations: {
      ...installations,
      exchangeCode: (returned) => {
        exchanged.push(returned.state.providerMetadata);
        return installations.exchangeCode(returned);
      },
    },
  });
  management = await startManagement(watched, undefined, { SLUICE_PROVIDERS_URL: zoho.url });
});
afterAll(async () => {
  await management.stop();
  await zoho.close();
});
beforeEach(async () => {
  project = await management.newProject();
  const app = { provider, clientId: 'client-1', clientSecret: 'canary-secret' };
  await management.as(project.key).post(`/v1/projects/${project.id}/provider-apps`).send(app).expect(200);
  [tokens.asked.length, exchanged.length] = [0, 0];
  give({});
});

/** What the token endpoint says besides the tokens. */
const give = (more: object) =>
  tokens.replies.set('authorization_code', { status: 200, body: { access_token: 'a', refresh_token: 'r', ...more } });

async function begin(more: object = {}): Promise<string> {
  const order = { projectIdOrName: project.id, provider, groupRef: 'acme', consumerRef: 'anna', ...more };
  const page = await management.as(project.key).post('/v1/oauth-connect').send(order).expect(200);
  return new URL(page.text).searchParams.get('state') ?? '';
}

/** The customer comes back with a code and these parameters. */
const comeBack = (state: string, parameters: Readonly<Record<string, string>>) =>
  management.as().get(`/callbacks/v1/oauth?${new URLSearchParams({ state, code: 'code-1', ...parameters })}`);

const connections = async () =>
  (await management.as(project.key).get(`/v1/projects/${project.id}/connections`).expect(200)).body as Connection[];
const at = (value: string, source: string) => ({ region: { value, source } });

const addresses = [['eu', 'https://accounts.zoho.eu', 'eu']] as const;

// Nobody named a region: the page at accounts.zoho.com sends every customer home.
it.each(addresses)('a customer of %s comes back, and the code goes to %s', async (location, server, region) => {
  await comeBack(await begin(), { location, 'accounts-server': server }).expect(200);
  expect(exchanged).toEqual([at(region, 'provider')]);
  expect(await connections()).toMatchObject([{ providerMetadata: at(region, 'provider') }]);
});

it('the place of the return is taken for the one that was chosen, and what else was given stays', async () => {
  const plan = { value: 'gold', source: 'input' };
  await comeBack(await begin({ providerMetadata: { ...at('in', 'input'), plan } }), { location: 'eu' }).expect(200);
  expect(exchanged).toEqual([{ ...at('eu', 'provider'), plan }]);
  expect(await connections()).toMatchObject([{ providerMetadata: { ...at('eu', 'provider'), plan } }]);
});

it('the token reply has the last word', async () => {
  give({ api_domain: 'https://www.zohoapis.in' });
  await comeBack(await begin(), { location: 'eu' }).expect(200);
  expect(exchanged).toEqual([at('eu', 'provider')]);
  expect(await connections()).toMatchObject([{ providerMetadata: at('in', 'token') }]);
});

it('a return that names no place leaves the one that was chosen', async () => {
  await comeBack(await begin({ providerMetadata: at('in', 'input') }), {}).expect(200);
  expect(exchanged).toEqual([at('in', 'input')]);
});

it('a connection that connects again is at the place of the newest return', async () => {
  await comeBack(await begin(), { location: 'eu' }).expect(200);
  await comeBack(await begin(), { location: 'jp' }).expect(200);
  expect(await connections()).toMatchObject([{ providerMetadata: at('jp', 'provider') }]);
});

it.each([
  [
    { 'accounts-server': 'https://evil.example' },
    /accounts-server of the return from zoho must be one of https:.*, not .*evil\.example/,
  ],
  [{ location: '<script>alert(1)</script>' }, /location/],
])('a return like %j is refused before a code is sent anywhere, and its link is used up', async (parameters, rule) => {
  const state = await begin();
  const { text } = await comeBack(state, parameters).expect(400);
  expect(text).toMatch(rule);
  expect(text).toMatch(/begin again/);
  expect(text).not.toContain('<script>alert');
  expect([exchanged, tokens.asked, await connections()]).toEqual([[], [], []]);
  await comeBack(state, { location: 'eu' }).expect(400);
  expect(tokens.asked).toEqual([]);
});

it('a parameter that is given twice has no one meaning', async () => {
  const state = await begin();
  await management.as().get(`/callbacks/v1/oauth?state=${state}&code=c&location=eu&location=us`).expect(400);
  expect(tokens.asked).toEqual([]);
});
