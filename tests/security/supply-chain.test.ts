import { execFile } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';

const root = join(__dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Manifest {
  readonly name: string;
  readonly packageManager?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}
const readManifest = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8')) as Manifest;

const workspace = parse(read('pnpm-workspace.yaml')) as {
  readonly packages: readonly string[];
  readonly catalog: Readonly<Record<string, string>>;
  readonly onlyBuiltDependencies: readonly string[];
  readonly ignoredBuiltDependencies: readonly string[];
};
const lockfile = parse(read('pnpm-lock.yaml')) as {
  readonly importers: Readonly<Record<string, Pick<Manifest, never> & Record<string, Locked | undefined>>>;
  readonly packages: Readonly<Record<string, { readonly resolution: Readonly<Record<string, string>> }>>;
};
type Locked = Readonly<Record<string, { readonly specifier: string }>>;

const folders = ['.', ...workspace.packages.flatMap((pattern) => globSync(pattern, { cwd: root }))].filter((folder) =>
  existsSync(join(root, folder, 'package.json')),
);
const packages = folders.map((folder) => ({ folder, manifest: readManifest(join(root, folder, 'package.json')) }));

// Reliability 4.4, row 47: what is installed is what was reviewed.
describe('[sec-47] dependencies', () => {
  it('have one exact version each', () => {
    const loose = Object.entries(workspace.catalog).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
    expect(loose).toEqual([]);
    expect(readManifest(join(root, 'package.json')).packageManager).toMatch(
      /^pnpm@\d+\.\d+\.\d+\+sha512\.[0-9a-f]{128}$/,
    );
  });

  it.each(packages)('$folder takes them from the catalog or the workspace', ({ manifest }) => {
    const wanted = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(wanted.filter((spec) => spec !== 'catalog:' && spec !== 'workspace:*')).toEqual([]);
  });

  // What `--frozen-lockfile` refuses, seen without an install.
  it.each(packages)('$folder is in the lockfile as it is', ({ folder, manifest }) => {
    for (const kind of ['dependencies', 'devDependencies'] as const) {
      const locked = Object.entries(lockfile.importers[folder]?.[kind] ?? {});
      expect(Object.fromEntries(locked.map(([name, { specifier }]) => [name, specifier]))).toEqual(
        manifest[kind] ?? {},
      );
    }
  });

  it('come from a registry, each with the hash of its bytes', () => {
    const entries = Object.entries(lockfile.packages);
    expect(entries.length).toBeGreaterThan(300);
    const other = entries.filter(([, { resolution }]) => {
      const { integrity = '', ...elsewhere } = resolution;
      return !/^sha512-[\w+/]{86}==$/.test(integrity) || Object.keys(elsewhere).length > 0;
    });
    expect(other.map(([name]) => name)).toEqual([]);
  });

  it('are installed as the lockfile says, here and in the images', () => {
    expect(read('deploy/local/bootstrap/main.mjs')).toContain("'--frozen-lockfile'");
    const installs = [...read('docker/Dockerfile').matchAll(/^.*pnpm (install|fetch|add)\b.*$/gm)].map(
      ([line]) => line,
    );
    expect(installs.length).toBeGreaterThan(1);
    for (const line of installs) expect(line).toMatch(/--ignore-scripts/);
    expect(installs.filter((line) => /install/.test(line) && !/--frozen-lockfile/.test(line))).toEqual([]);
  });

  it('are refused by the install when a manifest asks for another', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'sluice-manifests-'));
    for (const file of [
      'pnpm-workspace.yaml',
      'pnpm-lock.yaml',
      ...folders.map((each) => join(each, 'package.json')),
    ]) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      cpSync(join(root, file), join(copy, file));
    }
    expect(await install(copy)).not.toContain('ERR_PNPM_OUTDATED_LOCKFILE');
    const manifest = join(copy, 'services/search/package.json');
    writeFileSync(
      manifest,
      read('services/search/package.json').replace('"dependencies": {', '"dependencies": {"left-pad": "1.3.0",'),
    );
    expect(await install(copy)).toContain('ERR_PNPM_OUTDATED_LOCKFILE');
    rmSync(copy, { recursive: true });
  });

  it('run no script when they are installed, by the settings of this workspace', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-scripts-'));
    const { packages: _packages, ...settings } = workspace;
    writeFileSync(join(folder, 'pnpm-workspace.yaml'), stringify(settings));
    mkdirSync(join(folder, 'scripted'));
    const scripted = { name: 'scripted', version: '1.0.0', scripts: { postinstall: `touch ${folder}/ran` } };
    writeFileSync(join(folder, 'scripted/package.json'), JSON.stringify(scripted));
    const sample = { name: 'sample', version: '1.0.0', dependencies: { scripted: 'file:./scripted' } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(sample));
    expect(await install(folder, '--no-frozen-lockfile')).toContain('Ignored build scripts: scripted');
    expect(existsSync(join(folder, 'ran'))).toBe(false);
    rmSync(folder, { recursive: true });
  });

  it('run no install script but those that are listed', () => {
    const named = new Set([...workspace.onlyBuiltDependencies, ...workspace.ignoredBuiltDependencies]);
    const store = join(root, 'node_modules/.pnpm');
    const manifests = globSync(['*/node_modules/*/package.json', '*/node_modules/@*/*/package.json'], { cwd: store });
    expect(manifests.length).toBeGreaterThan(300);
    const scripted = manifests
      .filter((file) => runsAtInstall(join(store, file)))
      .map((file) => nameOf(join(store, file)));
    expect(scripted.filter((name) => !named.has(name))).toEqual([]);
  });

  it('are listed beside each published image, and looked up among the known faults before', () => {
    const release = read('.github/workflows/release.yml');
    expect(release).toMatch(/sbom: true/);
    expect(release).toMatch(/provenance: mode=max/);
    expect(release).toMatch(/run: npm run release:audit\n/);
    const { scripts } = readManifest(join(root, 'package.json'));
    expect(scripts?.['release:audit']).toBe('corepack pnpm audit --prod --audit-level high');
  });
});

/** Installs without a network, as the bootstrap does: what is not here is not fetched, and what it refuses it refuses before. @returns what it said */
async function install(folder: string, ...options: readonly string[]): Promise<string> {
  const pnpm = /^pnpm@[^+]+/.exec(readManifest(join(root, 'package.json')).packageManager ?? '')?.[0] ?? 'pnpm';
  const args = [
    '--yes',
    pnpm,
    'install',
    '--offline',
    '--ignore-pnpmfile',
    ...(options.length > 0 ? options : ['--frozen-lockfile', '--lockfile-only']),
  ];
  const said = await promisify(execFile)('npx', args, { cwd: folder, encoding: 'utf8' }).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  return said.stdout + said.stderr;
}

/** pnpm takes a `binding.gyp` for an install script, too. */
function runsAtInstall(file: string): boolean {
  const scripts = readManifest(file).scripts ?? {};
  const isScripted = ['preinstall', 'install', 'postinstall'].some((name) => scripts[name] !== undefined);
  return isScripted || existsSync(join(dirname(file), 'binding.gyp'));
}

function nameOf(file: string): string {
  return readManifest(file).name;
}
