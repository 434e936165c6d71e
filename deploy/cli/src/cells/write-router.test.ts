import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = join(__dirname, '../../dist/index.js');

/** Management of a cell, as far as its list of projects goes. */
async function startCell(projects: readonly object[]) {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(projects));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => void server.close() };
}

// Whoever renames a project to a name of another cell takes nothing from it, and keeps the map of all others from nothing.
it('writes the map, keeps the cell of a name that another cell has now, and ends with exit code 1', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cells-'));
  const cells = [
    await startCell([{ id: 'p', name: 'victim' }]),
    await startCell([
      { id: 'q', name: 'victim' },
      { id: 'r', name: 'new' },
    ]),
  ];
  const lines = cells.map(
    ({ url }, at) => `  - { name: c${at}, room: 9, management: '${url}', search: '${url}', write: '${url}' }\n`,
  );
  writeFileSync(join(folder, 'cells.yaml'), `cells:\n${lines.join('')}`);
  writeFileSync(join(folder, 'projects.map'), '- c0\nq c1\nvictim c1\n');
  const child = execFile(process.execPath, [program, 'cells', join(folder, 'cells.yaml'), '--out', folder], {
    env: { HOME: folder, SLUICE_ADMIN_KEY: 'key' },
  });
  let said = '';
  child.stderr?.on('data', (text) => (said += String(text)));
  const [code] = (await once(child, 'close')) as [number];
  for (const cell of cells) cell.stop();
  const map = readFileSync(join(folder, 'projects.map'), 'utf8');
  rmSync(folder, { recursive: true });
  expect([code, map]).toEqual([1, '- c0\nnew c1\np c0\nq c1\nr c1\nvictim c1\n']);
  expect(said).toContain('Projects of two cells are called victim (found in c1).');
});
