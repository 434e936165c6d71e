import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { settingsOf } from './harness/service-settings';

const root = join(__dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const dockerfile = read('docker/Dockerfile');
const compose = read('deploy/compose/compose.yaml');
const services: string[] = readdirSync(join(root, 'services'));
/** What one can build; the stages before it are steps on the way. */
const targets = matches(dockerfile.split('-- Images\n')[1] ?? '', /^FROM \S+ AS (\S+)$/gm);

describe('docker/Dockerfile', () => {
  it('has a target for each service, the sandbox, the migration, the crash test and the whole, and no other', () => {
    expect(targets.toSorted()).toEqual([...services, 'sandbox', 'migrate', 'crash-test', 'sluice'].toSorted());
  });

  it.each([...services, 'sandbox'])('%s: listens where its health check asks, on its default port', (name) => {
    const [stage = ''] = stageOf(name);
    const [port] = matches(stage, /^ENV SLUICE_PORT=(\d+)$/gm);
    // The services have a second port for their metrics, ten above.
    const metrics = name === 'sandbox' ? '' : ` ${Number(port) + 10}`;
    expect(matches(stage, /^EXPOSE (.+)$/gm)).toEqual([`${port}${metrics}`]);
    expect(configOf(name)).toContain(`portEnv(${port})`);
  });

  it('takes the Node that the workspace pins', () => {
    const [version] = matches(read('pnpm-workspace.yaml'), /^nodeVersion: (\S+)$/gm);
    expect(matches(dockerfile, /^ARG NODE_IMAGE=node:(.+)-bookworm-slim$/gm)).toEqual([version]);
  });

  // In shell form a shell is process 1, and SIGTERM never reaches node.
  it('starts node in exec form, without root', () => {
    const commands = matches(dockerfile.replaceAll('\\\n', ''), /^CMD (.+)$/gm);
    expect(commands).toHaveLength(4);
    for (const command of commands)
      expect(command).toMatch(/^\["node", .*"\/usr\/local\/lib\/sluice\/keep-signals\.cjs", /);
    // Root makes the folder of the volume, and no more.
    expect(matches(dockerfile, /^USER (.+)$/gm)).toEqual(['10001:10001', 'root', '10001:10001']);
  });

  // Observed: podman downloaded and compiled for each of nine targets. It gives a stage without an instruction a new identity in each build.
  it('begins no stage with one that has no instruction, so that every target is built from the same ones', () => {
    const stages = matches(dockerfile, /^(FROM \S+ AS \S+(?:\n(?!FROM ).*)*)/gm).map((text) => text.split('\n'));
    const isBare = (lines: readonly string[]) => lines.slice(1).every((line) => /^(#.*|ARG .*)?$/.test(line));
    const nameOf = ([head = '']: readonly string[]) => head.split(' AS ')[1];
    const bare = stages.filter(isBare).map(nameOf);
    expect([stages.length, bare]).toEqual([matches(dockerfile, /^(FROM) /gm).length, ['node']]);
    expect(matches(dockerfile, /^FROM (\S+) AS \S+$/gm).filter((base) => bare.includes(base))).toEqual([]);
  });

  // Observed: no image of management could be built after a page was listed that is not below docs.
  it('has every page that the guide lists where the guide is made', () => {
    const elsewhere = matches(read('docs/guides/README.md'), /\]\(\.\.\/\.\.\/([^)#]+\.md)\)/g).filter(
      (path) => !path.startsWith('docs/'),
    );
    expect(elsewhere).not.toEqual([]);
    const makers = dockerfile.split(/^(?=FROM )/m).filter((stage) => stage.includes('node libs/guide/build.mjs'));
    expect(makers).toHaveLength(2);
    for (const path of elsewhere) {
      expect(read('.dockerignore').split('\n')).toContain(`!${path}`);
      for (const stage of makers) expect(stage).toContain(`COPY ${path} ${dirname(path)}/\n`);
    }
  });

  it('puts every target into the offline build', () => {
    const [listed = ''] = matches(read('docker/build-offline.sh'), /^every_target="(.+)"$/gm);
    expect(listed.split(' ').toSorted()).toEqual(targets.toSorted());
  });
});

describe('docker/source-maps.cjs', () => {
  it('puts file and line of the sources into stack traces, where a file has a map', () => {
    const thrown = `try { require('./dist/service.js').executorEnv.read({}) } catch (error) { console.log(error.stack) }`;
    const preload = join(root, 'docker/source-maps.cjs');
    const [first = '', ...rest] = spawnSync(process.execPath, ['--require', preload, '--eval', thrown], {
      cwd: join(root, 'services/executor'),
      encoding: 'utf8',
    }).stdout.split('\n    at ');
    expect(first).toMatch(/^ConfigError: /);
    expect(rest[0]).toMatch(/^readEnv \(\S+\/libs\/config\/src\/define-env\.ts:\d+:\d+\)$/);
    expect(rest.at(-1)).toMatch(/node:internal/);
  });
});

describe('deploy/compose/compose.yaml', () => {
  it('builds targets that exist, each under its own name', () => {
    const built = matches(compose, /^ {6}target: (\S+)$/gm);
    // The crash test deletes pods, so only a cluster has a use for it; who has the whole in one container needs no other.
    expect(built.toSorted()).toEqual(targets.filter((target) => !['crash-test', 'sluice'].includes(target)).toSorted());
    expect(built.map((name) => builtBy(name))).toEqual(built);
  });

  it('gives the migration its database and its broker', () => {
    expect(settingsGivenTo('migrate')).toEqual(['DATABASE_URL', 'KAFKA_BROKERS']);
  });

  it.each([...services, 'sandbox'])('%s: gets what it requires, nothing it does not know, on its own port', (name) => {
    const given = settingsGivenTo(name);
    const { known, required } = settingsOf(name);
    expect(given.filter((setting) => !known.includes(setting))).toEqual([]);
    expect(required.filter((setting) => !given.includes(setting))).toEqual([]);
    const port = matches(stageOf(name)[0] ?? '', /^EXPOSE (\d+)/gm)[0];
    expect(sectionOf(name)).toContain(`ports: ['127.0.0.1:${port}:${port}']`);
  });

  // An empty value is an error to every service; `${X:-}` would make one of a setting that was left out.
  it('never makes an empty value', () => {
    const used = matches(compose, /(\$\{[^}]+\})/g);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((use) => !/^\$\{\w+:\?.+\}$/.test(use))).toEqual([]);
  });

  it('asks for nothing that .env.example does not name', () => {
    const example = matches(read('deploy/compose/.env.example'), /^(\w+)=.+$/gm);
    // A setting without a value is given on from .env, when it stands there.
    const asked = [...new Set([...matches(compose, /\$\{(\w+)/g), ...matches(compose, /^ {6}([A-Z_]+):$/gm)])];
    expect(asked.toSorted()).toEqual(example.toSorted());
  });
});

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

function stageOf(target: string): string[] {
  return dockerfile.split(/^(?=FROM )/m).filter((stage) => stage.split('\n')[0]?.endsWith(` AS ${target}`));
}

/** The lines of one service; the file indents services by two. */
function sectionOf(name: string): string {
  return compose.split(/^(?= {2}\S+:$)/m).find((section) => section.startsWith(`  ${name}:\n`)) ?? '';
}

/** The target that the section of a service names. */
function builtBy(name: string): string | undefined {
  return matches(sectionOf(name), /^ {6}target: (\S+)$/gm)[0];
}

function settingsGivenTo(name: string): string[] {
  const [environment = ''] = matches(sectionOf(name), /^ {4}environment:\n((?: {6}.+\n)+)/gm);
  return matches(environment, /^ {6}(\w+): /gm);
}

function configOf(name: string): string {
  return read(name === 'sandbox' ? 'deploy/sandbox/src/index.ts' : `services/${name}/src/config.ts`);
}
