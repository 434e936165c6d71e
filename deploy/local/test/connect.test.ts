import { createSandbox } from '@sluice/sandbox';
import { makeDataDir, startLauncher, type Launcher } from './launcher';

/** No port of it is one of the other tests here, which run at the same time. */
const portBase = 18_650;
const scratch = makeDataDir();
let launcher: Launcher | undefined;
afterEach(async () => {
  launcher?.kill('SIGTERM');
  await launcher?.exit();
  launcher = undefined;
});
afterAll(() => scratch.remove());

/** Runs `npm run connect -- hubspot` until it has printed its result, or has ended. */
async function connect(address: string, token: string): Promise<string> {
  const env = { HUBSPOT_API_URL: address, HUBSPOT_ACCESS_TOKEN: token };
  launcher = startLauncher({ args: ['connect', 'hubspot'], dataDir: scratch.path, portBase, env });
  const started = launcher;
  const ended = started.exit().then(() => true);
  const pause = () => new Promise<false>((done) => void setTimeout(done, 50, false));
  while (!started.output().includes('To paste:')) if (await Promise.race([ended, pause()])) break;
  return started.output();
}

// "Connected" is what somebody reads before the first write goes to a customer's account.
describe('npm run connect says of the token', () => {
  it('that it is not connected, when the provider is out of reach', async () => {
    // The port of a sandbox that is gone: nobody listens there.
    const gone = await createSandbox({ port: 0, host: '127.0.0.1' });
    await gone.close();
    const unreached = await connect(gone.url, 'pat-na1-unreached');
    expect(unreached).toContain('\nNOT CONNECTED yet: ');
    expect(unreached).not.toContain('connected:');
  }, 120_000);

  it.each([
    ['that it is refused', 'pat-na1-wrong', /token is refused by HubSpot/],
    ['that it is taken', 'pat-na1-right', /\nconnected: hubspot takes the token\nproject connect, /],
  ])(
    '%s',
    async (_, token, said) => {
      const sandbox = await createSandbox({ port: 0, host: '127.0.0.1' });
      try {
        const account = { name: 'own', provider: 'hubspot', token: 'pat-na1-right' };
        const headers = { 'content-type': 'application/json' };
        await fetch(`${sandbox.url}/_sandbox/accounts`, { method: 'POST', headers, body: JSON.stringify(account) });
        expect(await connect(sandbox.url, token)).toMatch(said);
      } finally {
        launcher?.kill('SIGTERM');
        await launcher?.exit();
        await sandbox.close();
      }
    },
    120_000,
  );
});
