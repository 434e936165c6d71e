import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const telemetry = join(__dirname, '../dist/index.js');
/** Logs four megabytes, waits until it is told that there is room, logs again, and ends. */
const program = `
  const logger = require(${JSON.stringify(telemetry)}).createLogger({ service: 'test' });
  for (let line = 0; line < 200; line += 1) logger.info({ pad: 'x'.repeat(20_000) }, 'a.line');
  process.stderr.write('full');
  process.stdin.once('data', () => {
    logger.info({}, 'another.line');
    setTimeout(() => process.exit(7), 100);
  });
`;

// A full disk takes lines, and nothing else: nothing accepted is lost because nobody could write about it.
it('goes on while standard output takes nothing, and says afterwards how many lines are lost', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-log-'));
  const log = join(folder, 'log');
  // A limit on the size of a file, in blocks of half a kilobyte or a whole one, is a disk that is full until the file is cut.
  const command = `ulimit -f 4000; exec "$0" -e "$1" >> "$2"`;
  const child = spawn('/bin/sh', ['-c', command, process.execPath, program, log]);
  const ended = once(child, 'exit');
  const [said] = (await once(child.stderr, 'data')) as [Buffer];
  expect(said.toString()).toBe('full');
  truncateSync(log);
  child.stdin.write('room');
  expect((await ended)[0]).toBe(7);
  const events = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('log.lines-lost'));
  expect(events.map((line) => (JSON.parse(line) as { lines: number }).lines)).toEqual([expect.any(Number)]);
  rmSync(folder, { recursive: true });
});
