import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noteShown, run, wasShown } from './start-command';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-tour-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const tour = { projectId: 'p1', footprint: 'embedded' };

it('the tour is shown once for each project and footprint', () => {
  expect(wasShown(folder, tour)).toBe(false);
  noteShown(folder, tour);
  noteShown(folder, tour);
  expect(wasShown(folder, tour)).toBe(true);
  expect(wasShown(folder, { ...tour, projectId: 'p2' })).toBe(false);
  expect(wasShown(folder, { ...tour, footprint: 'distributed' })).toBe(false);
  noteShown(folder, { ...tour, footprint: 'distributed' });
  expect(wasShown(folder, tour)).toBe(true);
});

it.each(['', 'half', '{}', '[{}]'])('a file that says %j is no tour', (text) => {
  writeFileSync(join(folder, 'tours.json'), text);
  expect(wasShown(folder, tour)).toBe(false);
});

it('--observe is refused, with what to use', async () => {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    expect(await run(['--observe', '--once'])).toBe(2);
    expect(write.mock.calls.flat()).toEqual([expect.stringMatching(/^--observe is gone: .*observe\.yaml.*\n$/)]);
  } finally {
    write.mockRestore();
  }
});
