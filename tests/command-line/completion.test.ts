import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createPerson, sluicePath, type Person } from './run-sluice';
import { completeInBash, completeInFish, completeInZsh, findShell, type Complete } from './shells/complete-in';

// What the shells themselves make of the scripts: a script that reads well may still not run.
const commands = ['cancel', 'describe', 'explain', 'export', 'list', 'logs', 'replay', 'watch'];
const statuses = ['failure', 'in_progress', 'success'];
const scopes = ['frontend', 'full', 'read', 'search', 'write'];

const offers: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['sluice dep', ['deploy']],
  ['sluice op ', commands],
  ['sluice op ex', ['explain', 'export']],
  ['sluice op watch --ti', ['--timeout']],
  ['sluice op list --st', ['--status']],
  ['sluice op list --status ', statuses],
  // A group without a further word lists.
  ['sluice op --status f', ['failure']],
  ['sluice keys create nightly --scope ', scopes],
  ['sluice keys create nightly --scope read wr', ['write']],
  ['sluice completion ', ['bash', 'fish', 'zsh']],
  // The value of an option is no command.
  ['sluice --profile op de', ['deploy']],
  ['sluice --profile acme op ', commands],
  // Profiles stand in a file: nobody answers at their addresses.
  ['sluice --profile ', ['acme', 'demo', 'east coast']],
  ['sluice op list --profile d', ['demo']],
  ['sluice profile use a', ['acme']],
  ['sluice profile remove ', ['acme', 'demo', 'east coast']],
  ['sluice profile add ', []],
  ['sluice deploy man', ['manifest.yaml']],
  ['sluice deploy --destructive man', ['manifest.yaml']],
  ['sluice connections re', ['reconnect']],
  ['sluice webhooks me', ['messages']],
  ['sluice webhooks messages w --status d', ['delivered']],
  ['sluice write contacts --type ', ['create', 'delete', 'update']],
  ['sluice write contacts --record man', ['manifest.yaml']],
  ['sluice integrations de', ['delete', 'describe']],
  ['sluice integrations delete crm --y', ['--yes']],
  ['sluice op export 1 --out man', ['manifest.yaml']],
  // Only the service knows these: no file is offered in their place.
  ['sluice op watch ', []],
  ['sluice op list --group ', []],
];

const completes: Readonly<Record<string, Complete>> = {
  bash: completeInBash,
  zsh: (...given) => completeInZsh(...given),
  fish: (...given) => completeInFish(...given),
};
const shells = Object.entries(completes).map(([shell, complete]) => ({ shell, complete, program: findShell(shell) }));

let person: Person;
const profileFile = () => join(person.home, '.config', 'sluice', 'profiles.json');
const scriptOf = (shell: string) => join(person.home, `completion.${shell}`);
beforeAll(async () => {
  person = createPerson();
  writeFileSync(join(person.home, 'manifest.yaml'), '');
  const profile = { url: 'http://127.0.0.1:9/v1', apiKey: 'secret' };
  const profiles = { acme: profile, demo: profile, 'east coast': profile };
  mkdirSync(dirname(profileFile()), { recursive: true });
  writeFileSync(profileFile(), JSON.stringify({ current: 'demo', profiles }), { mode: 0o600 });
  mkdirSync(join(person.home, 'bin'));
  const start = `#!/bin/sh\nexec '${process.execPath}' '${sluicePath}' "$@"\n`;
  writeFileSync(join(person.home, 'bin', 'sluice'), start, { mode: 0o755 });
  for (const { shell } of shells) writeFileSync(scriptOf(shell), await person.run('completion', shell));
});

for (const { shell, complete, program = '' } of shells) {
  // Bash is everywhere that the tests run: without it they fail.
  const suite = program === '' && shell !== 'bash' ? describe.skip : describe;
  suite(`in ${shell}`, () => {
    it.each(offers)('%s', async (line, words) => {
      const offered = await complete(program, { script: scriptOf(shell), line, cwd: person.home });
      // Bash leaves the quoting of a blank to who completes.
      expect(offered.map((word) => word.replaceAll('\\', ''))).toEqual(words);
    });

    it('no profile of a file that is refused, and not a word of it between the lines', async () => {
      chmodSync(profileFile(), 0o644);
      try {
        const asked = { script: scriptOf(shell), line: 'sluice --profile ', cwd: person.home };
        expect(await complete(program, asked)).toEqual([]);
      } finally {
        chmodSync(profileFile(), 0o600);
      }
    });

    it('a value after "="', async () => {
      const asked = { script: scriptOf(shell), line: 'sluice op list --status=s', cwd: person.home };
      const offered = await complete(program, asked);
      expect(offered.map((word) => word.replace('--status=', ''))).toEqual(['success']);
    });
  });
}

const { program: zsh } = shells.find(({ shell }) => shell === 'zsh') ?? {};
(zsh === undefined ? describe.skip : describe)('in a folder of its functions', () => {
  it('zsh finds the script', async () => {
    const folder = join(person.home, 'functions');
    mkdirSync(folder);
    writeFileSync(join(folder, '_sluice'), await person.run('completion', 'zsh'));
    const asked = { script: '', line: 'sluice op ex', cwd: person.home };
    expect(await completeInZsh(zsh ?? '', asked, folder)).toEqual(['explain', 'export']);
  });
});

const { program: fish } = shells.find(({ shell }) => shell === 'fish') ?? {};
(fish === undefined ? describe.skip : describe)('called as the guide says', () => {
  it('fish offers nothing of node', async () => {
    const guide = readFileSync(resolve(__dirname, '../../docs/guides/command-line.md'), 'utf8');
    const called = /^In fish: `([^`]+)`/m.exec(guide)?.[1] ?? 'the guide says nothing of fish';
    const asked = { script: scriptOf('fish'), line: 'sluice --', cwd: person.home };
    const own = ['--help', '--json', '--profile', '--project', '--version'];
    expect(await completeInFish(fish ?? '', asked, called)).toEqual(own);
  });
});
