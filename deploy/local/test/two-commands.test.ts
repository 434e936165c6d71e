import { makeDataDir, startLauncher, type Launcher } from './launcher';

const scratch = makeDataDir();
let launcher: Launcher | undefined;
// One that a time limit left behind would keep the ports and the data of the next.
afterEach(async () => {
  launcher?.kill('SIGTERM');
  await launcher?.exit();
  launcher = undefined;
});
afterAll(() => scratch.remove());

// The two commands of the README, whole: the real minute is waited, and the second start finds the first one's data.
it.each([
  ['embedded, cold', 19_000, []],
  ['distributed', 19_700, ['--distributed']],
] as const)(
  'npm start -- --once, %s: 250 auto-batched records leave in 3 calls, and the tour ends with 0',
  async (_name, portBase, footprint) => {
    launcher = startLauncher({ args: ['start', ...footprint, '--once'], dataDir: scratch.path, portBase });
    const code = await launcher.exit();
    expect({ code, output: launcher.output() }).toMatchObject({ code: 0 });
    expect(launcher.output()).toMatch(/the CRM got 3 calls of 100, 100, 50/);
    expect(launcher.output()).toMatch(/The tour: 23 steps, all as they should be/);
  },
  900_000,
);
