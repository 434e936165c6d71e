import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify } from '@sluice/stack';
import { claimRunFolder } from './claim-run-folder';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-run-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const claim = (portBase: number) => claimRunFolder({ home, portBase, command: 'npm start', log: () => undefined });

// Two launchers on one database and one sandbox journal would take each other's work.
it('gives a second launcher a folder of its own, and the first one again when it is free', async () => {
  const first = await claim(19_000);
  const second = await claim(19_700);
  expect([first.folder, second.folder]).toEqual([home, join(home, 'base-19700')]);
  first.release();
  expect((await claim(19_000)).folder).toBe(home);
});

it('takes over the folder of a launcher that was killed', async () => {
  const self = identify(process.pid);
  const dead = {
    process: { ...self, startedAt: 'another boot' },
    command: 'npm start',
    portBase: 1,
    isStopping: false,
  };
  writeFileSync(join(home, 'run.json'), JSON.stringify(dead));
  expect((await claim(19_000)).folder).toBe(home);
});
