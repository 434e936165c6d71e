import { join } from 'node:path';
import { makeDataDir, startLauncher } from './launcher';

const scratch = makeDataDir();
afterAll(() => scratch.remove());

it.each([
  ['is not there', join(scratch.path, 'spans.json'), 'ENOENT'],
  ['holds something else', __filename, 'is not valid JSON'],
])(
  'npm run trace, with a file that %s: says so and what the file is to be, without a stack',
  async (_, file, reason) => {
    const launcher = startLauncher({ args: ['trace', file, '01985cf0'], dataDir: scratch.path, portBase: 1_024 });
    expect(await launcher.exit()).toBe(1);
    expect(launcher.output()).toMatch(
      /^\S+ cannot be read as spans: .*\nIt is to hold what a collector's file exporter wrote: .*\n$/,
    );
    expect(launcher.output()).toContain(reason);
  },
);
