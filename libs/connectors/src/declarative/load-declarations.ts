import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type ConfigProblem } from '@sluice/config';
import type { Declaration } from './declaration';
import { readDeclaration } from './read-declaration';

/** The files that come with this package. */
const shippedFolder = join(__dirname, '..', '..', 'providers');

/** Shipped files do not change while a process runs, and it may hold several services. */
const shipped = new Map<string, Declaration>();

/** Names that a file cannot take: their connectors are code. */
const builtIn: readonly string[] = ['hubspot', 'salesforce'];

/**
 * Reads every `*.yaml` and `*.yml` of the shipped folder and of another one, in the order of their names. Once, at start.
 * @param folder outside the package; absent: the shipped ones only
 * @throws ConfigError with every problem of every file, each with its line and column; a name that two files have is one
 */
export function loadDeclarations(folder?: string): readonly Declaration[] {
  const problems: ConfigProblem[] = [];
  const files = new Map<string, string>(builtIn.map((name) => [name, 'this build']));
  const declarations: Declaration[] = [];
  for (const path of [shippedFolder, ...(folder === undefined ? [] : [folder])].flatMap((one) =>
    listFiles(one, problems),
  )) {
    const declaration = readFile(path, problems);
    if (declaration === undefined) continue;
    const other = files.get(declaration.name);
    if (other === undefined) declarations.push(declaration);
    else
      problems.push({ name: `${path} name`, rule: `is ${declaration.name}, which is a provider of ${other} already` });
    files.set(declaration.name, other ?? path);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return declarations;
}

function listFiles(folder: string, problems: ConfigProblem[]): string[] {
  try {
    const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.'));
    return names.toSorted().map((name) => join(folder, name));
  } catch (error) {
    problems.push({ name: 'SLUICE_PROVIDERS_DIR', rule: `cannot be read: ${String(error)}`, value: folder });
    return [];
  }
}

function readFile(path: string, problems: ConfigProblem[]): Declaration | undefined {
  const known = shipped.get(path);
  if (known !== undefined) return known;
  try {
    const read = readDeclaration(path, readFileSync(path, 'utf8'));
    if (!('name' in read)) problems.push(...read);
    else {
      if (path.startsWith(shippedFolder)) shipped.set(path, read);
      return read;
    }
  } catch (error) {
    problems.push({ name: path, rule: `cannot be read: ${String(error)}` });
  }
  return undefined;
}
