import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** The machine may be busy with other tests; nothing here is about time. */
const boundMs = 1_200_000;
/** One of each kind: against a baseline process, end to end, of the database alone. All take minutes. */
const rows = ['P1', 'P7', 'P11'];

let bench: ChildProcessByStdio<null, Readable, Readable> | undefined;
afterAll(() => bench?.kill());

// The benchmark runs for half an hour and not in every build: this shows that it still starts, measures and gives figures.
it(
  'the benchmark runs and gives its figures',
  async () => {
    bench = spawn(process.execPath, [join(__dirname, '../dist/index.js'), '--quick', '--row', rows.join(',')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [bench.stdout, bench.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const [code] = (await once(bench, 'exit')) as [number];
    // Only the output shows why.
    expect(code === 0 ? '' : output).toBe('');
    const figures = [...output.matchAll(/^ {2}(P\d+) {2}.+ ours ([\d.,-]+) .+: (?:met|missed)/gm)];
    expect([...new Set(figures.map(([, id]) => id))]).toEqual(rows);
  },
  boundMs,
);
