import { spawnSync } from 'node:child_process';

/** Erases what was removed, as a process finds it, and dies as of `kill -9` behind its first commit, whose failpoint it tells. */
const program = `
  const { writeSync } = require('node:fs');
  const { createStore } = require('@sluice/store');
  const [url] = process.argv.slice(1);
  const hit = (name) => {
    writeSync(1, name);
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  };
  const limits = { connectMs: 60_000, statementMs: 60_000, idleMs: 60_000, silentMs: 0 };
  const store = createStore({ url, applicationName: 'dying', poolMax: 1, limits, failpoints: { hit } });
  const erase = async () => {
    const next = async () => (await store.projects.removed())[0];
    for (let id = await next(); id !== undefined; id = await next()) await store.projects.erase(id);
    await store.close();
  };
  void erase();
`;

/** One process that erases. @returns where it died; undefined when there was nothing to erase any more */
export function eraseUntilDeath(url: string): string | undefined {
  const options = { cwd: __dirname, encoding: 'utf8', timeout: 120_000 } as const;
  const { stdout, stderr, status, signal } = spawnSync(process.execPath, ['-e', program, url], options);
  if (signal === 'SIGKILL' && stdout !== '') return stdout;
  if (status !== 0) throw new Error(`the process ended with ${signal ?? status}: ${stderr}`);
  return undefined;
}
