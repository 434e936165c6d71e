import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type ConfigProblem, nearestName } from '@sluice/config';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { completed, type Declaration, type DeclarationFile, declarationSchema, type FileIssue } from './declaration';
import { checkDeclaration } from './declaration-rules';
import { readYaml } from './read-yaml';

/** The files that come with this package. */
const shippedFolder = join(__dirname, '..', '..', 'providers');

/** Shipped files do not change while a process runs, and it may hold several services. */
const shipped = new Map<string, Declaration>();

/**
 * Providers that are only connected, a row each: what a file would say of them. A test holds each to the rules of a file, so that no start does.
 * `facts` are of every row.
 */
interface ConnectOnlyTable {
  readonly facts: Readonly<Record<string, string>>;
  readonly providers: Readonly<Record<string, Omit<DeclarationFile, 'format' | 'name' | 'facts'>>>;
}

/** Providers that are only connected, in the order of their names. */
export function readConnectOnly(): readonly DeclarationFile[] {
  const table = JSON.parse(readFileSync(join(shippedFolder, 'connect-only.json'), 'utf8')) as ConnectOnlyTable;
  return Object.entries(table.providers).map(([name, row]) => {
    const facts = Object.entries(table.facts).filter(([part]) => Object.hasOwn(row, part));
    return { format: 1, name, ...row, facts: Object.fromEntries(facts) };
  });
}

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

/** Problems of one file that are listed. Our choice: a file of another kind would have hundreds. */
const problemsMax = 50;

/** Made when a file is read first: most who import this package read none. */
let check: ValidateFunction<DeclarationFile> | undefined;

/** The broken rules of what a file holds. Empty: it can be used. */
export function issuesOf(value: unknown): readonly FileIssue[] {
  // A file is read once: making its check faster would take longer than the check.
  const quick = { meta: false, validateSchema: false, code: { optimize: false } };
  check ??= new Ajv({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    verbose: true,
    ...quick,
  }).compile<DeclarationFile>(declarationSchema);
  return check(value) ? checkDeclaration(value) : (check.errors ?? []).map(toIssue);
}

/** The declaration in a provider's file, YAML or JSON, or all its problems in the order of their places, each with file, line, column and path. */
function readDeclaration(file: string, text: string): Declaration | readonly ConfigProblem[] {
  const read = readYaml(text);
  if (!read.ok) {
    const unreadable = read.problems.slice(0, problemsMax);
    return unreadable.map(({ reason, position: { line, column } = {} }) => ({
      name: [file, line, column].filter(Boolean).join(':'),
      rule: `is not readable as YAML: ${reason}`,
    }));
  }
  const value: unknown = JSON.parse(read.text.json);
  const issues = issuesOf(value);
  if (issues.length === 0) return completed(value as DeclarationFile);
  return issues
    .map((issue) => ({ ...issue, position: read.text.positionOf(issue.steps) }))
    .toSorted(({ position: one }, { position: other }) => one.line - other.line || one.column - other.column)
    .slice(0, problemsMax)
    .map(({ steps, rule, position: { line, column } }) => {
      const path = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
      return { name: `${file}:${line}:${column} ${path.replace(/^\./, '')}`.trimEnd(), rule };
    });
}

type Params = Readonly<Record<string, unknown>>;

/** Keyword of JSON Schema to the rule it stands for, as the end of a sentence. A `description` beside a pattern says what the pattern is. */
const rules: Readonly<Record<string, (params: Params, error: ErrorObject) => string>> = {
  additionalProperties: unknownMember,
  type: ({ type }) => `must be ${[type].flat().join(' or ')}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).map(textOf).join(', ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  required: () => 'is required',
  pattern: ({ pattern }, { parentSchema }) =>
    `must be ${textOf(parentSchema?.['description'] ?? `like ${textOf(pattern)}`)}`,
  minimum: ({ limit }) => `must be at least ${textOf(limit)}`,
  maximum: ({ limit }) => `must be at most ${textOf(limit)}`,
  minLength: () => 'must not be empty',
  maxLength: ({ limit }) => `must have at most ${textOf(limit)} characters`,
  minItems: () => 'must not be empty',
  maxItems: ({ limit }) => `must have at most ${textOf(limit)} items`,
  minProperties: () => 'must not be empty',
  maxProperties: ({ limit }) => `must have at most ${textOf(limit)} members`,
};

/** At the member that is missing or not known, else at the value. */
function toIssue(error: ErrorObject): FileIssue {
  const params = error.params as Params;
  const rule = rules[error.keyword]?.(params, error) ?? error.message ?? 'breaks a rule';
  const steps = error.instancePath.split('/').slice(1).map(unescaped);
  const last = params['missingProperty'] ?? params['additionalProperty'];
  return { steps: typeof last === 'string' ? [...steps, last] : steps, rule };
}

function unescaped(step: string): string | number {
  return /^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function unknownMember({ additionalProperty }: Params, { parentSchema }: ErrorObject): string {
  const known = Object.keys((parentSchema?.['properties'] ?? {}) as object);
  const nearest = nearestName(String(additionalProperty), known);
  return `is not known here; ${nearest === undefined ? `known are ${known.join(', ')}` : `did you mean ${nearest}?`}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
