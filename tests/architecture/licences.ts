import { existsSync, globSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** An installed package that is none of ours. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  /** What its package.json declares: an SPDX expression. Absent where it declares nothing. */
  readonly declared: string | undefined;
  /** Its licence file. Absent where it brings none. */
  readonly text: string | undefined;
}

/** Words that each licence has, and none of the others. A licence that is not here is not permissive enough for an image. */
const permissive: Readonly<Record<string, RegExp>> = {
  MIT: /Permission is hereby granted, free of charge/,
  ISC: /Permission to use, copy, modify, and(\/or)? distribute this software/,
  'BSD-2-Clause': /Redistribution and use in source and binary forms/,
  'BSD-3-Clause': /Redistribution and use in source and binary forms/,
  'Apache-2.0': /Apache License/,
  'BlueOak-1.0.0': /Blue Oak Model License/,
};

const restrictive = /GENERAL PUBLIC LICENSE|Server Side Public License|Business Source License|Commons Clause/i;

/** The packages of the workspace that docker/Dockerfile puts into images: `@sluice/executor`, … */
export function packagesInImages(): string[] {
  const dockerfile = readFileSync(join(root, 'docker/Dockerfile'), 'utf8');
  return [...dockerfile.matchAll(/deploy-package\.sh (@sluice\/[\w-]+)/g)].map((match) => match[1] ?? '');
}

/** What `packages` need when they run, and what the console's page is made of: every package that is none of ours, once. */
export function installedFor(packages: readonly string[]): Installed[] {
  const folders = workspaceFolders();
  const visited = new Map<string, Manifest>();
  for (const name of packages) visit(folders.get(name) ?? failFor(name), visited);
  const console = folders.get('@sluice/console') ?? failFor('@sluice/console');
  // The page is one script, so what it imports is a dependency of the build alone.
  if (visited.has(realpathSync(console))) for (const name of bundled(console)) visit(locate(name, console), visited);
  return [...visited]
    .filter(([folder]) => folder.includes('/.pnpm/'))
    .map(([folder, manifest]) => read(folder, manifest));
}

/** What is bundled into the console's page. */
export function installedInPage(): Installed[] {
  const console = workspaceFolders().get('@sluice/console') ?? failFor('@sluice/console');
  return bundled(console)
    .map((name) => realpathSync(locate(name, console)))
    .map((folder) => read(folder, manifestOf(folder)))
    .filter(({ name }) => !name.startsWith('@sluice/'));
}

/** What the browser build of Scalar is made of besides its own packages, by its source maps: name to version. */
export function bundledInReference(): Map<string, string> {
  const folder = join(root, 'libs/reference/node_modules/@scalar/api-reference/dist/browser');
  const found = new Map<string, string>();
  for (const map of globSync('{*.esm,chunks/*}.js.map', { cwd: folder })) {
    // What libs/reference/build.mjs leaves out.
    if (/(AgentScalarDrawer|\.svg)-/.test(map)) continue;
    const { sources } = JSON.parse(readFileSync(join(folder, map), 'utf8')) as { readonly sources: readonly string[] };
    for (const source of sources) {
      const [, name, version = ''] = /.*node_modules\/\.pnpm\/((?:@[^/+]+\+)?[^/@]+)@([^/_(]+)/.exec(source) ?? [];
      if (name !== undefined) found.set(name.replace('+', '/'), version);
    }
  }
  return found;
}

/** @returns what speaks against a package in an image; nothing where its licence is permissive */
export function licenceProblems({ name, version, declared, text }: Installed): string[] {
  const label = `${name} ${version}`;
  const accepted = acceptedLicences(declared ?? '');
  if (accepted.length === 0) return [`${label} declares ${declared ?? 'no licence'}`];
  if (text === undefined) return [];
  if (restrictive.test(text)) return [`${label} declares ${declared}, and its licence file another`];
  if (accepted.some((id) => permissive[id]?.test(text))) return [];
  return [`${label} declares ${declared}, which its licence file does not say`];
}

/** The licences of an SPDX expression that one may choose; none when one of them would have to be accepted and is not permissive. */
function acceptedLicences(expression: string): string[] {
  const ids = expression.replaceAll(/[()]/g, '').split(/ (?:OR|AND) /);
  const chosen = ids.filter((id) => Object.hasOwn(permissive, id));
  return / AND /.test(expression) && chosen.length < ids.length ? [] : chosen;
}

function workspaceFolders(): Map<string, string> {
  const files = globSync(
    ['libs/*/package.json', 'services/*/package.json', 'deploy/*/package.json', 'tests/*/package.json'],
    {
      cwd: root,
    },
  );
  return new Map(files.map((file) => [manifestOf(join(root, dirname(file))).name, join(root, dirname(file))]));
}

function visit(folder: string, visited: Map<string, Manifest>): void {
  const real = realpathSync(folder);
  if (visited.has(real)) return;
  const manifest = manifestOf(real);
  visited.set(real, manifest);
  for (const name of Object.keys(manifest.dependencies ?? {})) visit(locate(name, real), visited);
  // Those of another platform are not installed, nor are peers that nobody brings.
  for (const name of Object.keys({ ...manifest.optionalDependencies, ...manifest.peerDependencies })) {
    const found = find(name, real);
    if (found !== undefined) visit(found, visited);
  }
}

/** The packages that the sources of the console's page import, and what its JSX compiles to. */
function bundled(console: string): string[] {
  const sources = globSync('browser/**/*.{ts,tsx}', { cwd: console }).map((file) =>
    readFileSync(join(console, file), 'utf8'),
  );
  const imported = sources.flatMap((text) =>
    [...text.matchAll(/ from '([^'.][^']*)'/g)].map((match) => match[1] ?? ''),
  );
  const names = imported.map((path) =>
    path
      .split('/')
      .slice(0, path.startsWith('@') ? 2 : 1)
      .join('/'),
  );
  const [, jsx = failFor('jsxImportSource')] =
    /jsxImportSource: '([^']+)'/.exec(readFileSync(join(console, 'build.mjs'), 'utf8')) ?? [];
  return [...new Set([jsx, ...names])];
}

function locate(name: string, from: string): string {
  return find(name, from) ?? failFor(`${name}, which ${from} needs`);
}

/** As Node finds a package: in the nearest node_modules above. */
function find(name: string, from: string): string | undefined {
  const folder = join(from, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(from) === from ? undefined : find(name, dirname(from));
}

function read(folder: string, { name, version, license }: Manifest): Installed {
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  return {
    name,
    version,
    declared: license,
    text: file === undefined ? undefined : readFileSync(join(folder, file), 'utf8'),
  };
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

function failFor(what: string): never {
  throw new Error(`not found: ${what}`);
}
