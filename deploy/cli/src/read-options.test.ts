import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readInput } from './read-options';

// Read leniently, two names that differ in such a byte would be sent as one.
it('takes a file as it is, or not at all where it is no UTF-8', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-input-'));
  const file = join(folder, 'record.json');
  writeFileSync(file, '{"name":"Zoë \uFFFD"}');
  expect(await readInput(file)).toBe('{"name":"Zoë \uFFFD"}');
  for (const bytes of [[0xe9], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
    writeFileSync(file, Buffer.from([0x22, ...bytes, 0x22]));
    await expect(readInput(file)).rejects.toThrow(`${file} is not valid UTF-8`);
  }
  rmSync(folder, { recursive: true });
});
