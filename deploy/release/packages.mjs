/**
 * `npm run release:packages`: makes the packages that others install, `dist/release/sluice-client-VERSION.tgz` and `sluice-cli-VERSION.tgz`.
 * Each holds all that it needs: what is ours and what it imports is in its files, so an install asks no registry. The client as ES module and
 * as CommonJS with one file of types for each; the command line as ES module. `--out FOLDER` puts them elsewhere.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'tsdown';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The oldest Node that has what is used: AbortSignal.any and the global crypto. */
const engines = { node: '>=20.3.0' };

/** From their sources, which are ES modules: of what is ours only that is taken which is used. */
const sources = Object.fromEntries(
  ['client', 'config', 'errors', 'types'].map((lib) => [`@sluice/${lib}`, join(root, 'libs', lib, 'src/index.ts')]),
);

const packages = [
  {
    name: 'client',
    folder: 'libs/client',
    description: 'Client of Sluice: write records into, and search records in, the SaaS accounts of your customers',
    manifest: {
      main: './dist/index.cjs',
      module: './dist/index.mjs',
      types: './dist/index.d.cts',
      exports: {
        '.': {
          import: { types: './dist/index.d.mts', default: './dist/index.mjs' },
          require: { types: './dist/index.d.cts', default: './dist/index.cjs' },
        },
        './package.json': './package.json',
      },
      sideEffects: false,
    },
    builds: [
      { entry: { index: 'src/index.ts' }, format: ['esm', 'cjs'], platform: 'neutral', alias: sources },
      // What the compiler made, so that nothing is compiled twice: the types of every package are in its dist.
      { entry: { index: 'dist/index.d.ts' }, format: 'esm', dts: { dtsOnly: true, generator: 'oxc' } },
    ],
    // The same types, by the name that TypeScript reads for CommonJS.
    copies: { 'dist/index.d.mts': 'dist/index.d.cts' },
  },
  {
    name: 'cli',
    folder: 'deploy/cli',
    description: 'The command line of Sluice: deploy, watch, explain, replay',
    manifest: { type: 'module', bin: { sluice: './dist/index.mjs' } },
    // A command's code is loaded when it runs: it stays in files of its own.
    builds: [{ entry: { index: 'src/index.ts' }, format: 'esm', platform: 'node', alias: sources }],
  },
];

const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist/release') } } });
const out = resolve(values.out);
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const each of packages) await pack(each);

async function pack({ name, folder, description, manifest, builds, copies = {} }) {
  const staged = join(out, 'packages', name);
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
  const modules = new Set();
  for (const options of builds) {
    const { bundles } = await build({
      cwd: join(root, folder),
      outDir: join(staged, 'dist'),
      config: false,
      clean: false,
      tsconfig: false,
      dts: false,
      target: 'node20.3',
      fixedExtension: true,
      deps: { alwaysBundle: [/^[@\w]/] },
      inputOptions: { checks: { pluginTimings: false } },
      logLevel: 'warn',
      ...options,
    });
    for (const chunk of bundles.flatMap(({ chunks }) => chunks))
      for (const id of chunk.moduleIds ?? []) modules.add(id);
  }
  for (const [from, to] of Object.entries(copies)) cpSync(join(staged, from), join(staged, to));
  const text = {
    name: `@sluice/${name}`,
    version,
    description,
    license,
    engines,
    ...manifest,
    files: ['dist', 'NOTICES'],
  };
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(text, undefined, 2)}\n`);
  writeFileSync(join(staged, 'NOTICES'), noticesOf(modules));
  cpSync(join(root, folder, 'README.md'), join(staged, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(staged, 'LICENSE'));
  const npm = spawnSync('npm', ['pack', '--silent', '--pack-destination', out], { cwd: staged, encoding: 'utf8' });
  if (npm.status !== 0) throw new Error(`npm pack of ${name} ended with ${npm.status}: ${npm.stderr}`);
  process.stdout.write(`${join(out, npm.stdout.trim())}\n`);
}

/** The licences of what is bundled: each asks that its notice goes along with every copy. */
function noticesOf(modules) {
  const folders = new Set();
  for (const id of modules) {
    const [, inside] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(id) ?? [];
    if (inside !== undefined) folders.add(inside);
  }
  const notices = [...folders].map((folder) => {
    const {
      name,
      version: installed,
      license: declared,
    } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[sc]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} ${installed} brings no licence file`);
    return `${name} ${installed} (${declared})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return notices.length === 0
    ? 'Nothing of others is in this package.\n'
    : notices.toSorted().join(`\n${'-'.repeat(80)}\n\n`);
}
