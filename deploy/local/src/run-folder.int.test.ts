import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '@sluice/stack';
import { borrowService, claimRunFolder, type RunFolder } from './run-folder';

let home: string;
const claims: RunFolder[] = [];
const children: ChildProcess[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-run-'));
});
afterEach(() => {
  for (const held of claims.splice(0)) held.release();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

const wanted = (portBase: number) => ({ home, portBase, command: 'npm run dev', names: [], log: () => undefined });
async function claim(portBase: number): Promise<RunFolder> {
  const claimed = await claimRunFolder(wanted(portBase));
  claims.push(claimed);
  return claimed;
}

/** Another launcher, which prints a line when it has done what it is to do. */
async function launcher(call: string): Promise<ChildProcess> {
  const script = `
    const { ${call.split('(')[0]} } = require(${JSON.stringify(join(__dirname, '../dist/run-folder.js'))});
    const wanted = { ...${JSON.stringify(wanted(19_000))}, log: () => {} };
    ${call}.then(() => console.log('done'));
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

// Two launchers on one database and one sandbox journal would take each other's work.
it('gives a second launcher a folder of its own, and the first one again when it is free', async () => {
  const first = await claim(19_000);
  const second = await claim(19_700);
  expect([first.folder, second.folder]).toEqual([home, join(home, 'base-19700')]);
  first.release();
  expect((await claim(19_000)).folder).toBe(home);
});

it('takes over the folder of a launcher that was killed', async () => {
  const child = await launcher('claimRunFolder(wanted)');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect((await claim(19_700)).folder).toBe(home);
});

it('waits for a launcher that is stopping', async () => {
  const first = await claim(19_000);
  first.markStopping();
  setTimeout(first.release, 300);
  expect((await claim(19_000)).folder).toBe(home);
});

describe('a service that is lent', () => {
  it('is taken back when the process that runs it has ended, however it ended', async () => {
    const seen: string[] = [];
    const lender = await claim(19_000);
    lender.lendWith(async (name) => {
      seen.push(`ends ${name}`);
      return async () => void seen.push(`starts ${name}`);
    });
    const borrower = await launcher('borrowService(wanted, "executor")');
    expect(seen).toEqual(['ends executor']);
    borrower.kill('SIGKILL');
    await waitUntil(() => seen.length > 1, { withinMs: 10_000 });
    expect(seen).toEqual(['ends executor', 'starts executor']);
  });

  it('is refused by a launcher that has no process for it, and asked of none on other ports', async () => {
    await claim(19_000);
    await expect(borrowService(wanted(19_000), 'executor')).rejects.toMatchObject({
      detail: `executor is run by "npm run dev" (process ${process.pid}), which cannot lend it.`,
    });
    expect(await borrowService(wanted(19_700), 'executor')).toBeUndefined();
  });
});
