import { posix } from 'node:path';
import {
  benchmark,
  environmentReader,
  forbidden,
  levels,
  nouns,
  singleImporters,
  telemetryRegister,
  telemetrySdk,
  testkit,
  isFurtherEntry,
} from './rules';
import { readSource } from './source-file';

/**
 * Holds one source file against the rules.
 * @param path from the root of the checkout, with slashes: `libs/http/src/index.ts`
 * @returns one sentence for each broken rule, naming file, import and rule
 */
export function checkFile(path: string, text: string): string[] {
  const file = describeFile(path);
  const { imports, readsEnvironment } = readSource(text, path.endsWith('.tsx'));
  const problems = imports.flatMap((name) => {
    const rule = brokenRule(file, name);
    return rule === undefined ? [] : [`${path} imports "${name}": ${rule}`];
  });
  const mayRead = file.isTest || !file.isPackage || file.folder === environmentReader || path === telemetryRegister;
  if (readsEnvironment && !mayRead) {
    problems.push(`${path} reads process.env: only ${environmentReader} does, and passes values on`);
  }
  return problems;
}

interface CheckedFile {
  readonly path: string;
  /** The package's folder: `libs/http`; `tests` for the black-box tests. */
  readonly folder: string;
  readonly isPackage: boolean;
  readonly isTest: boolean;
}

function describeFile(path: string): CheckedFile {
  const parts = path.split('/');
  const isBenchmark = path.startsWith(`${benchmark}/`);
  const isPackage = isBenchmark || ['libs', 'services', 'deploy'].includes(parts[0] ?? '');
  const folder = isPackage ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
  const isTest = !isPackage || isBenchmark || path.endsWith('.test.ts') || parts[2] === 'test';
  return { path, folder, isPackage, isTest };
}

function brokenRule(file: CheckedFile, name: string): string | undefined {
  if (name.startsWith('.')) return brokenByPath(file, name);
  if (name.startsWith('@sluice/')) return brokenByLevel(file, name);
  return brokenByOwner(file, name);
}

function brokenByPath(file: CheckedFile, name: string): string | undefined {
  const target = posix.normalize(posix.join(posix.dirname(file.path), name));
  if (target === file.folder || target.startsWith(`${file.folder}/`)) return brokenByNoun(file, target);
  return `a relative path must not lead out of its package (${file.folder})`;
}

/** Within a package: from one noun's folder to another's. */
function brokenByNoun({ path, isTest }: CheckedFile, target: string): string | undefined {
  const [source, order = []] = Object.entries(nouns).find(([folder]) => path.startsWith(`${folder}/`)) ?? [];
  if (source === undefined || isTest || !target.startsWith(`${source}/`)) return undefined;
  const [from = '', ...below] = path.slice(source.length + 1).split('/');
  const [to, file = 'index'] = target.slice(source.length + 1).split('/');
  if (below.length === 0) return undefined;
  const [own, other] = [from, to].map((name) => order.findIndex(([noun]) => noun === name)) as [number, number];
  if (own < 0) return `${from} is no noun of ${source} (tests/architecture/rules.ts)`;
  if (other < 0 || other === own) return undefined;
  if (other > own) return `${from} stands above ${to} in the order of nouns`;
  const [, ...door] = order[other] ?? [];
  return door.includes(file) ? undefined : `the door of ${to} is ${door.join(', ') || 'closed'}`;
}

function brokenByLevel(file: CheckedFile, name: string): string | undefined {
  const [, short = '', ...deep] = name.split('/');
  const target = folderOf(short);
  if (target === undefined) return 'there is no such package in the table of levels (tests/architecture/rules.ts)';
  if (deep.length > 0 && !isFurtherEntry(target, deep, file.isTest || file.folder === 'deploy/certify'))
    return 'packages export "." only, so nothing deeper';
  if (!file.isPackage || target === file.folder) return undefined;
  if (target === testkit) return file.isTest || file.folder === testkit ? undefined : 'only tests import the testkit';
  const veto = forbidden.find((rule) => rule.from === file.folder && rule.to === target);
  if (veto !== undefined) return veto.because;
  return isAbove(file.folder, target) ? undefined : levelRule(file.folder, target);
}

function isAbove(from: string, to: string): boolean {
  if (from === testkit) return to.startsWith('libs/');
  const [upper, lower] = [levels[from], levels[to]];
  return upper !== undefined && lower !== undefined && upper > lower;
}

function levelRule(from: string, to: string): string {
  const level = (folder: string) => (folder === testkit ? 'testkit' : `level ${levels[folder]}`);
  return `imports go down only, never to the same level (${from} is ${level(from)}, ${to} is ${level(to)})`;
}

function brokenByOwner(file: CheckedFile, name: string): string | undefined {
  if (!file.isPackage || file.folder === benchmark) return undefined;
  const parts = name.split('/');
  const packageName = name.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? name);
  const isSdk = telemetrySdk.pattern.test(packageName);
  const owners = isSdk
    ? [telemetrySdk.owner]
    : Object.hasOwn(singleImporters, packageName) && singleImporters[packageName];
  if (!owners || owners.includes(file.folder)) return undefined;
  return `only ${owners.join(', ')} may import ${packageName}`;
}

function folderOf(shortName: string): string | undefined {
  return [...Object.keys(levels), testkit].find((folder) => folder.split('/')[1] === shortName);
}
