import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { findTool } from '../chart/tools';

const root = resolve(__dirname, '../..');
const helm = findTool('helm') ?? '';
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const { jobs } = parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')) as {
  jobs: { images: { strategy: { matrix: { target: string[] } } } };
};
const images = jobs.images.strategy.matrix.target;
const withHelm = helm === '' ? it.skip : it;
const digestOf = (image: string) => `sha256:${Buffer.from(image).toString('hex').padEnd(64, '0')}`;

// The commands of release.yml in its order, in a copy of what they read. The wheel stands in: python.test.ts makes it.
withHelm('a release packs everything, and pushes and publishes nothing without a token', () => {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  const run = (script: string, env: Readonly<Record<string, string>> = {}, ...args: string[]): string => {
    const file = join(root, `deploy/release/${script}.mjs`);
    const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    expect({ script, status, stderr }).toEqual({ script, status: 0, stderr: '' });
    return stdout;
  };
  try {
    const manifests = globSync(['package.json', '{libs,services,deploy,tests}/{,*/}package.json'], { cwd: root });
    for (const name of [...manifests, 'helm/sluice', 'deploy/cli/src/version.ts'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    writeFileSync(
      join(folder, 'CHANGELOG.md'),
      `# Changelog\n\n## [${version}] - 2026-11-26\n\n- A thing.\n\n## [0.0.1] - \n`,
    );

    run('version', { GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: `v${version}` }, version);
    for (const image of images) run('digest', { IMAGE: image, DIGEST: digestOf(image) });
    run('packages', {}, '--out', join(folder, 'dist/release'));
    writeFileSync(join(folder, `dist/release/sluice_client-${version}-py3-none-any.whl`), '');
    run('chart', { REGISTRY: 'registry.example.com/team', PATH: dirname(helm) }, '--dry-run');
    const published = run('publish');

    expect(published).toContain(`release create v${version} `);
    for (const file of [
      'DIGESTS',
      `sluice-${version}.tgz`,
      `sluice-cli-${version}.tgz`,
      `sluice-client-${version}.tgz`,
    ])
      expect(published).toContain(`dist/release/${file}`);
    expect(readFileSync(join(folder, 'dist/release/NOTES.md'), 'utf8')).toBe('- A thing.\n');
    // Observed: a published chart that named images on the node.
    const chart = join(folder, `dist/release/sluice-${version}.tgz`);
    const all = ['--set', 'trial.enabled=true,crashTest.enabled=true'];
    const { stdout } = spawnSync(helm, ['template', 'x', chart, ...all], { encoding: 'utf8' });
    const used = new Set([...stdout.matchAll(/image: (\S+)/g)].map(([, image = '']) => image));
    const pushed = images.map((image) => `registry.example.com/team/sluice/${image}:${version}@${digestOf(image)}`);
    // The image that has everything is in no chart.
    const inChart = pushed.filter((image) => !image.includes('/sluice/sluice:'));
    expect([...used].filter((image) => !image.startsWith('docker.io/')).toSorted()).toEqual(inChart.toSorted());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
