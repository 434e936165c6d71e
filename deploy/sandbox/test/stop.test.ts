import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** A sandbox as a process of its own, with an account. */
async function start(shutdownMs: number) {
  const env = { SLUICE_PORT: '0', SLUICE_HOST: '127.0.0.1', SLUICE_SHUTDOWN_MS: String(shutdownMs) };
  const child = spawn(process.execPath, [join(__dirname, '../dist/index.js')], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(child);
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const url = `http://127.0.0.1:${await portOf(child)}`;
  const send = (path: string, body: object, token = '') =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  const opened = await send('/_sandbox/accounts', { name: 'acme', provider: 'hubspot' });
  const { token } = (await opened.json()) as { token: string };
  const create = () => send('/crm/v3/objects/contacts', { properties: { firstname: 'Ana' } }, token);
  const isFaultMet = async () => {
    const faults = (await (await fetch(`${url}/_sandbox/faults`)).json()) as { hits: number }[];
    return faults.some(({ hits }) => hits > 0);
  };
  return { child, ended, url, create, isFaultMet, fault: (action: object) => send('/_sandbox/faults', { action }) };
}

/** From its log. Read to the end, because an unread log would block the process. */
function portOf({ stdout }: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    let text = '';
    stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const port = /"port":([1-9]\d*)/.exec(text)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
}

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 20));
}

it.each(['SIGTERM', 'SIGINT'] as const)(
  '%s: a call in flight gets its reply, and then it ends with 0',
  async (signal) => {
    const sandbox = await start(60_000);
    await sandbox.fault({ kind: 'slow', delayMs: 2_000 });
    const created = sandbox.create();
    await until(sandbox.isFaultMet);
    sandbox.child.kill(signal);
    expect((await created).status).toBe(201);
    expect(await sandbox.ended).toEqual([0, null]);
    await expect(fetch(sandbox.url)).rejects.toThrow('fetch failed');
  },
);

it('a call that does not end is cut when the time is over', async () => {
  const sandbox = await start(500);
  await sandbox.fault({ kind: 'timeout', delayMs: 3_600_000 });
  const outcome = sandbox.create().then(
    () => 'a reply',
    () => 'cut',
  );
  await until(sandbox.isFaultMet);
  sandbox.child.kill('SIGTERM');
  expect(await outcome).toBe('cut');
  expect(await sandbox.ended).toEqual([0, null]);
});
