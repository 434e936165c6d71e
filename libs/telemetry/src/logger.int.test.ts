import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const telemetry = join(__dirname, '../dist/index.js');
/** Logs four megabytes, waits until there is space again, logs once more, and ends. */
const program = `
  const logger = require(${JSON.stringify(telemetry)}).createLogger({ service: 'test' });
  for (let line = 0; line < 200; line += 1) logger.info({ pad: 'x'.repeat(20_000) }, 'a.line');
  process.stderr.write('full');
  process.stdin.once('data', () => {
    logger.info({}, 'another.line');
    setTimeout(() => process.exit(7), 100);
  });
`;

// A full disk costs log lines and nothing else: no accepted write is lost because it could not be logged.
it('goes on while standard output accepts nothing, and logs afterwards how many lines are lost', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-log-'));
  const log = join(folder, 'log');
  // A limit on the size of a file, in blocks of half a kilobyte or a whole one, is a disk that is full until the file is cut.
  const command = `ulimit -f 4000; exec "$0" -e "$1" >> "$2"`;
  const child = spawn('/bin/sh', ['-c', command, process.execPath, program, log]);
  const ended = once(child, 'exit');
  const [printed] = (await once(child.stderr, 'data')) as [Buffer];
  expect(printed.toString()).toBe('full');
  truncateSync(log);
  child.stdin.write('space');
  expect((await ended)[0]).toBe(7);
  const events = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('log.lines-lost'));
  expect(events.map((line) => (JSON.parse(line) as { lines: number }).lines)).toEqual([expect.any(Number)]);
  rmSync(folder, { recursive: true });
});
