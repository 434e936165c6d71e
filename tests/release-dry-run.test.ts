import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTool } from './chart/tools';
import { dryRun, type DryRun } from './harness/dry-run';

const root = join(__dirname, '..');
const helm = findTool('helm') ?? '';
if (helm === '') process.stdout.write('NOT RUN: the dry run of a release, for want of helm: npm run chart:tools\n');
const { scripts, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  version: string;
};
const fromCommit = [
  ...globSync(['package.json', '{libs,services,deploy,tests}/{package.json,*/package.json}'], { cwd: root }),
  'helm/sluice',
  'deploy/cli/src/program.ts',
];
const section = `## [${version}] - 2026-11-26\n\n### Added\n\n- A thing.\n`;
const packages = [`sluice-cli-${version}.tgz`, `sluice-client-${version}.tgz`];
const wheel = `sluice_client-${version}-py3-none-any.whl`;

// Nobody sees release.yml run before a release: here each of its jobs runs, with our own commands and stand-ins for actions, helm push and gh.
(helm === '' ? describe.skip : describe)('release.yml, run dry for a tag', () => {
  let folder: string;
  let ours: Release;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'dry-run-'));
    ours = release(`v${version}`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  interface Release extends DryRun {
    /** The file of this name that the run left outside. */
    readonly path: (name: string) => string;
    /** Its lines. */
    readonly noted: (name: string) => readonly string[];
  }

  function release(tag: string, changelog = section, vars: Readonly<Record<string, string>> = {}): Release {
    const at = mkdtempSync(join(folder, 'run-'));
    const path = (name: string) => join(at, name);
    for (const name of ['bin', 'published', 'artifacts']) mkdirSync(path(name));
    const program = (name: string, text: string) =>
      writeFileSync(path(`bin/${name}`), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    program('helm', `[ "$1" = push ] && { printf '%s\\n' "$@" > ${path('pushed')}; exit; }; exec ${helm} "$@"`);
    program('gh', `printf '%s\\n' "$@" > ${path('asked')}; cp dist/release/[!d]* ${path('published')}`);
    const run = dryRun({
      workflowFile: join(root, '.github/workflows/release.yml'),
      folder: at,
      context: {
        github: { repository_owner: 'team', actor: 'somebody', sha: 'c0ffee' },
        vars,
        secrets: { GITHUB_TOKEN: 'token' },
      },
      env: { PATH: `${path('bin')}:/usr/bin:/bin`, GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: tag },
      checkout: (to) => {
        for (const name of fromCommit) cpSync(join(root, name), join(to, name), { recursive: true });
        writeFileSync(join(to, 'CHANGELOG.md'), `# Changelog\n\n## Unreleased\n\n${changelog}`);
      },
      command: (name) => {
        // These need a registry, and a build: the packages have suites of their own.
        if (name === 'release:audit') return ['true'];
        if (name === 'release:packages')
          return ['sh', '-c', `mkdir -p dist/release && cd dist/release && touch ${packages.join(' ')}`];
        if (name === 'release:python') return ['sh', '-c', `mkdir -p dist/release && touch dist/release/${wheel}`];
        const [, script = ''] = /^node (\S+)$/.exec(scripts[name] ?? '') ?? [];
        return [process.execPath, join(root, script)];
      },
    });
    return { ...run, path, noted: (name) => readFileSync(path(name), 'utf8').trim().split('\n') };
  }

  it('publishes a chart that names each image as it was pushed, by its digest', () => {
    const { failure, images, ran, path, noted } = ours;
    expect([failure, ran]).toEqual([
      undefined,
      ['version', 'audit', 'tests', 'images', 'packages', 'python', 'chart', 'release'],
    ]);
    expect(noted('pushed')).toEqual(['push', `dist/release/sluice-${version}.tgz`, 'oci://ghcr.io/team/charts']);
    const rendered = spawnSync(
      helm,
      ['template', 'x', path(`published/sluice-${version}.tgz`), '--set', 'trial.enabled=true,crashTest.enabled=true'],
      { encoding: 'utf8' },
    );
    const used = new Set([...rendered.stdout.matchAll(/image: ["']?([^\s"']+)/g)].map(([, image = '']) => image));
    const pushed = images.map(({ tag, digest }) => `${tag}@${digest}`);
    const inChart = pushed.filter((image) => !image.includes('/sluice/sluice:'));
    expect([...used].filter((image) => !image.startsWith('docker.io/')).toSorted()).toEqual(inChart.toSorted());
    expect(new Set(pushed).size).toBe(9);
    expect(noted('published/DIGESTS')).toEqual(images.map(({ target, digest }) => `${target} ${digest}`).toSorted());
  });

  it('pushes every image for both architectures, with its contents and how it was built', () => {
    const { images, noted } = release(`v${version}`, section, {
      REGISTRY: 'registry.example.com/team',
      REGISTRY_USER: 'robot',
    });
    expect(images.map(({ target, tag }) => [target, tag])).toEqual(
      images.map(({ target }) => [target, `registry.example.com/team/sluice/${target}:${version}`]),
    );
    for (const { settings } of images) {
      expect(settings).toMatchObject({
        push: 'true',
        sbom: 'true',
        provenance: 'mode=max',
        platforms: 'linux/amd64,linux/arm64',
      });
      expect(settings['build-args']).toBe(`VERSION=${version}\nREVISION=c0ffee\n`);
    }
    expect(noted('pushed').at(-1)).toBe('oci://registry.example.com/team/charts');
  });

  it('makes a release of the attested packages, the chart and the digests, with the section of the changelog', () => {
    expect(ours.attested.toSorted()).toEqual([...packages, wheel]);
    const asked = ours.noted('asked');
    expect(asked.slice(0, 3)).toEqual(['release', 'create', `v${version}`]);
    const files = ['DIGESTS', `sluice-${version}.tgz`, ...packages, wheel].map((name) => `dist/release/${name}`);
    expect(asked.filter((each) => each.startsWith('dist/release/') && !each.endsWith('NOTES.md')).toSorted()).toEqual(
      files.toSorted(),
    );
    expect(ours.noted('published/NOTES.md').join('\n')).toBe('### Added\n\n- A thing.');
  });

  it.each([
    ['a changelog without its section', `v${version}`, '', 'CHANGELOG.md: no section that begins with'],
    ['a tag of another version', 'v9.9.9', section, `the tag v9.9.9 is not v${version}`],
  ])('publishes nothing with %s', (_what, tag, changelog, reason) => {
    expect(release(tag, changelog)).toMatchObject({
      ran: ['version'],
      failure: expect.stringContaining(reason),
      images: [],
      attested: [],
    });
  });
});
