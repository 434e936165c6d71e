import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findTool } from './chart/tools';

const root = join(__dirname, '..');
const helm = findTool('helm');
const withHelm = helm === undefined ? it.skip : it;
const { version: current } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const digest = `sha256:${'0a'.repeat(32)}`;

describe('the version', () => {
  it('is the same wherever the checkout names it', () => {
    expect(run('version', root)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+, in \d+ places/),
    });
  });
});

// The commands of release.yml that nothing else runs before a release.
describe('the commands of a release', () => {
  let folder: string;
  const path = (name: string) => join(folder, name);
  const read = (name: string) => readFileSync(path(name), 'utf8');
  const replace = (name: string, from: string, to: string) => writeFileSync(path(name), read(name).replace(from, to));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'release-'));
    const manifests = globSync(['package.json', '{libs,services,deploy,tests}/{package.json,*/package.json}'], {
      cwd: root,
    });
    for (const name of [...manifests, 'helm/sluice/Chart.yaml', 'deploy/cli/src/program.ts', 'CHANGELOG.md']) {
      cpSync(join(root, name), path(name));
    }
    run('version', folder, '0.1.0');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('name each file that has another version', () => {
    replace('helm/sluice/Chart.yaml', 'appVersion: 0.1.0', 'appVersion: 0.1.1');
    replace('libs/store/package.json', '"version": "0.1.0"', '"version": "0.1.1"');
    replace('deploy/cli/src/program.ts', ".version('0.1.0')", '');
    replace('CHANGELOG.md', '## [0.1.0] - ', '## [0.1.0], ');
    expect(run('version', folder)).toMatchObject({
      status: 1,
      stdout: [
        'libs/store/package.json: "version": "0.1.1 is not 0.1.0',
        'helm/sluice/Chart.yaml: appVersion: 0.1.1 is not 0.1.0',
        'deploy/cli/src/program.ts: no version is not 0.1.0',
        'CHANGELOG.md: no section that begins with "## [0.1.0] - "\n',
      ].join('\n'),
    });
  });

  it('write a version everywhere but into the changelog', () => {
    const before = read('helm/sluice/Chart.yaml');
    expect(run('version', folder, '9.0.0')).toMatchObject({
      status: 1,
      stdout: 'CHANGELOG.md: no section that begins with "## [9.0.0] - "\n',
    });
    expect(read('helm/sluice/Chart.yaml')).toBe(before.replaceAll('0.1.0', '9.0.0'));
    expect(JSON.parse(read('tests/crash/package.json'))).toMatchObject({ version: '9.0.0', license: 'Apache-2.0' });
  });

  it.each(['0.2', 'v0.2.0', 'next'])('refuse %j as a version', (version) => {
    expect(run('version', folder, version)).toMatchObject({ status: 2, stderr: expect.stringContaining('usage:') });
  });

  it('refuse a tag of another version, and hand a right one on', () => {
    const tag = (name: string) => ({ GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: name, GITHUB_OUTPUT: path('output') });
    expect(runWith(tag('v0.1.1'), 'version', folder)).toMatchObject({
      status: 1,
      stdout: 'the tag v0.1.1 is not v0.1.0\n',
    });
    expect(existsSync(path('output'))).toBe(false);
    expect(runWith(tag('v0.1.0'), 'version', folder)).toMatchObject({ status: 0 });
    expect(read('output')).toBe('version=0.1.0\n');
  });

  it('note the digest of an image, and nothing that is none', () => {
    expect(runWith({ IMAGE: 'executor', DIGEST: digest }, 'digest', folder)).toMatchObject({ status: 0 });
    expect(read('dist/release/digests/executor')).toBe(`executor ${digest}\n`);
    expect(runWith({ IMAGE: 'search', DIGEST: '' }, 'digest', folder)).toMatchObject({ status: 2 });
    expect(runWith({ IMAGE: '../search', DIGEST: digest }, 'digest', folder)).toMatchObject({ status: 2 });
    expect(globSync('dist/release/digests/*', { cwd: folder })).toHaveLength(1);
  });

  const images = ['management', 'search', 'write-gateway', 'batcher', 'executor', 'migrate', 'sandbox', 'crash-test'];
  const noteDigests = (names: readonly string[]) => {
    for (const name of names) runWith({ IMAGE: name, DIGEST: digest }, 'digest', folder);
    cpSync(join(root, 'helm/sluice'), path('helm/sluice'), { recursive: true });
  };

  it('make a chart of all images or none', () => {
    const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');
    // The image that has everything needs no chart.
    expect(/target: \[(.+)\]/.exec(workflow)?.[1]).toBe([...images, 'sluice'].join(', '));
    noteDigests(images.slice(1));
    const { status, stderr } = runWith({ REGISTRY: 'registry.example.com/team' }, 'chart', folder, '--dry-run');
    expect([status, stderr]).toEqual([1, 'no digest of management in dist/release/digests\n']);
  });

  // Observed: what was published pointed at images on the node.
  withHelm('make a chart that points at what was pushed', () => {
    noteDigests(images);
    const env = { REGISTRY: 'registry.example.com/team', PATH: dirname(helm ?? '') };
    expect(runWith(env, 'chart', folder, '--dry-run')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('nothing was pushed'),
    });
    const args = [
      'template',
      'x',
      path(`dist/release/sluice-${current}.tgz`),
      '--set',
      'trial.enabled=true,crashTest.enabled=true',
    ];
    const { stdout } = spawnSync(helm ?? '', args, { encoding: 'utf8' });
    const used = [...stdout.matchAll(/image: (\S+)/g)].map(([, image = '']) => image);
    const ours = [...new Set(used.filter((image) => !image.startsWith('docker.io/')))];
    expect(ours.toSorted()).toEqual(
      images.map((name) => `registry.example.com/team/sluice/${name}:${current}@${digest}`).toSorted(),
    );
  });
});

describe('the release itself', () => {
  let folder: string;
  const version = '0.2.0';
  const files = [
    'DIGESTS',
    `sluice-${version}.tgz`,
    `sluice-cli-${version}.tgz`,
    `sluice-client-${version}.tgz`,
    `sluice_client-${version}-py3-none-any.whl`,
  ];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'release-'));
    mkdirSync(join(folder, 'dist/release/digests'), { recursive: true });
    for (const name of [...files, 'sluice-notes.txt']) writeFileSync(join(folder, 'dist/release', name), name);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }));
    const changelog = `# Changelog\n\n## [${version}] - 2026-11-25\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2026-11-01\n\n- Old.\n`;
    writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('has the section of the changelog, the packages, the chart and the digests', () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'gh'), '#!/bin/sh\nprintf "%s\\n" "$@" > asked\n', { mode: 0o755 });
    const env = { PATH: `${bin}:/usr/bin:/bin`, GH_TOKEN: 'token' };
    expect(runWith(env, 'publish', folder)).toMatchObject({ status: 0, stderr: '' });
    const asked = readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n');
    expect(asked.slice(0, 4)).toEqual(['release', 'create', `v${version}`, '--verify-tag']);
    expect(asked.slice(-files.length)).toEqual(files.map((name) => `dist/release/${name}`));
    expect(readFileSync(join(folder, 'dist/release/NOTES.md'), 'utf8')).toBe('### Added\n\n- A thing.\n');
  });

  it('is not made without a file that the pages name, nor without a token', () => {
    expect(runWith({}, 'publish', folder)).toMatchObject({ status: 0, stdout: expect.stringContaining('not run: gh') });
    rmSync(join(folder, `dist/release/sluice-cli-${version}.tgz`));
    const stderr = `dist/release has no sluice-cli-${version}.tgz\n`;
    expect(runWith({ GH_TOKEN: 'token' }, 'publish', folder)).toMatchObject({ status: 1, stderr });
  });
});

function run(script: string, cwd: string, ...args: string[]) {
  return runWith({}, script, cwd, ...args);
}

/** With nothing of the environment of the tests, which may itself be that of a release. */
function runWith(env: Readonly<Record<string, string>>, script: string, cwd: string, ...args: string[]) {
  const file = join(root, `deploy/release/${script}.mjs`);
  return spawnSync(process.execPath, [file, ...args], { cwd, env, encoding: 'utf8' });
}
