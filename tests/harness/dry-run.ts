/**
 * Runs the jobs of a workflow on this machine, each in a checkout of its own, so that what one hands to another goes through artifacts and outputs
 * alone. Actions are replaced by what they do to files; what they would publish is noted.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { parse } from 'yaml';

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string | boolean>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly uses?: string;
  readonly needs?: string | readonly string[];
  readonly permissions: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** An image as it was pushed. */
interface PushedImage {
  readonly target: string;
  readonly tag: string;
  readonly digest: string;
  readonly settings: Readonly<Record<string, string | boolean>>;
}

/** What a run would have left outside. */
export interface DryRun {
  /** Jobs in the order they ran; the last one failed if `failure` is there. */
  readonly ran: readonly string[];
  readonly failure?: string;
  readonly images: readonly PushedImage[];
  /** Files that a signed statement names. */
  readonly attested: readonly string[];
}

export interface DryRunOptions {
  readonly workflowFile: string;
  /** Of GitHub: `github`, `vars`, `secrets`. */
  readonly context: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Folder for checkouts and artifacts. */
  readonly folder: string;
  /** Fills a folder with the files of the commit. */
  readonly checkout: (folder: string) => void;
  /** The program of an npm script and its arguments. @param name after `npm run` */
  readonly command: (name: string, folder: string) => readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

type Context = Readonly<Record<string, unknown>>;

/** What a job must be permitted for an action. */
const permissionsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docker/build-push-action': { packages: 'write' },
  'actions/attest-build-provenance': { 'id-token': 'write', attestations: 'write' },
};

/** @returns what was published, up to the first step that failed */
export function dryRun(options: DryRunOptions): DryRun {
  const { env, jobs } = parse(readFileSync(options.workflowFile, 'utf8')) as Workflow;
  const ran: string[] = [];
  const images: PushedImage[] = [];
  const attested: string[] = [];
  const needs: Record<string, { readonly outputs: Record<string, string> }> = {};
  const shared = { ...options.context, env: rendered(env, options.context), needs };
  try {
    for (const [name, job] of inOrder(jobs)) {
      ran.push(name);
      for (const matrix of turnsOf(job)) {
        const outputs = runJob(job, { ...shared, matrix }, options, { images, attested });
        needs[name] = { outputs };
      }
    }
    return { ran, images, attested };
  } catch (error) {
    return { ran, images, attested, failure: error instanceof Error ? error.message : String(error) };
  }
}

/** Each job after those that it needs. */
function inOrder(jobs: Readonly<Record<string, Job>>): (readonly [string, Job])[] {
  const ordered = new Map<string, Job>();
  const add = (name: string): void => {
    const job = jobs[name];
    if (job === undefined) throw new Error(`no job ${name}`);
    for (const before of [job.needs ?? []].flat()) add(before);
    ordered.set(name, job);
  };
  for (const name of Object.keys(jobs)) add(name);
  return [...ordered];
}

function turnsOf({ strategy }: Job): Readonly<Record<string, string>>[] {
  const [[name, values] = ['', ['']]] = Object.entries(strategy?.matrix ?? {});
  return values.map((value) => ({ [name]: value }));
}

function runJob(
  job: Job,
  shared: Context,
  options: DryRunOptions,
  noted: { readonly images: PushedImage[]; readonly attested: string[] },
): Record<string, string> {
  const folder = mkdtempSync(join(options.folder, 'job-'));
  const artifacts = join(options.folder, 'artifacts');
  const steps: Record<string, { outputs: Record<string, string> }> = {};
  const context: Context = { ...shared, steps };
  const loggedInto = new Set<string>();
  const found = (patterns: string): string[] => {
    const files = patterns.trim().split('\n').flatMap((pattern) => globSync(pattern.trim(), { cwd: folder })); // prettier-ignore
    if (files.length === 0) throw new Error(`no file is ${patterns}`);
    return files;
  };
  const actions: Readonly<Record<string, (settings: Readonly<Record<string, string>>) => Record<string, string>>> = {
    'actions/checkout': () => (options.checkout(folder), {}),
    'docker/setup-qemu-action': () => ({}),
    'docker/setup-buildx-action': () => ({}),
    'docker/login-action': ({ registry = '' }) => (loggedInto.add(registry), {}),
    'docker/build-push-action': (settings) => {
      const { tags: tag = '', target = '' } = settings;
      if (![...loggedInto].some((registry) => tag.startsWith(`${registry}/`))) throw new Error(`not logged in: ${tag}`);
      const digest = `sha256:${createHash('sha256').update(tag).digest('hex')}`;
      noted.images.push({ target, tag, digest, settings });
      return { digest };
    },
    'actions/attest-build-provenance': ({ 'subject-path': subject = '' }) => (noted.attested.push(...found(subject).map((file) => basename(file))), {}), // prettier-ignore
    'actions/upload-artifact': ({ name = '', path = '' }) => {
      if (existsSync(join(artifacts, name))) throw new Error(`there is an artifact ${name} already`);
      for (const file of found(path)) cpSync(join(folder, file), join(artifacts, name, basename(file)));
      return {};
    },
    'actions/download-artifact': ({ name, pattern = '', path = '' }) => {
      const names = globSync(name ?? pattern, { cwd: artifacts });
      if (names.length === 0) throw new Error(`no artifact is ${name ?? pattern}`);
      mkdirSync(join(folder, path), { recursive: true });
      for (const each of names) cpSync(join(artifacts, each), join(folder, path), { recursive: true });
      return {};
    },
  };
  for (const { id = '', uses, run, with: settings = {}, env = {} } of job.steps ?? []) {
    if (uses === undefined) {
      steps[id] = {
        outputs: runCommand(run ?? '', folder, { ...(context['env'] as object), ...rendered(env, context) }),
      };
      continue;
    }
    const [name = ''] = uses.split('@');
    const action = actions[name];
    if (action === undefined) throw new Error(`no stand-in for ${name}`);
    for (const [scope, level] of Object.entries(permissionsOf[name] ?? {})) {
      if (job.permissions[scope] !== level) throw new Error(`${name} is not permitted ${scope}: ${level}`);
    }
    steps[id] = { outputs: action(rendered(settings, context)) };
  }
  return rendered(job.outputs ?? {}, context);

  function runCommand(line: string, cwd: string, env: Readonly<Record<string, string>>): Record<string, string> {
    const [program, ...args] = options.command(line.replace(/^npm run /, ''), cwd);
    const output = join(cwd, '.outputs');
    const ofRun = { ...options.env, ...env, GITHUB_OUTPUT: output };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: ofRun, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${line}: ${stdout}${stderr}`);
    const lines = existsSync(output) ? readFileSync(output, 'utf8').trim().split('\n') : [];
    return Object.fromEntries(lines.map((each) => each.split('=')));
  }
}

function rendered(texts: Readonly<Record<string, string | boolean>>, context: Context): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, render(String(text), context)]));
}

function render(text: string, context: Context): string {
  return text.replace(/\$\{\{ (.+?) \}\}/g, (_whole, expression: string) => {
    const value = evaluate(expression, context);
    if (value === undefined) throw new Error(`nothing is ${expression}`);
    return value;
  });
}

/** Names, `format` and `||`, which are all that our workflows use. */
function evaluate(expression: string, context: Context): string | undefined {
  for (const part of expression.split(' || ')) {
    const [, pattern, argument = ''] = /^format\('(.*)', (.+)\)$/.exec(part) ?? [];
    const value =
      pattern === undefined ? valueOf(part, context) : pattern.replace('{0}', valueOf(argument, context) ?? '');
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

function valueOf(path: string, context: Context): string | undefined {
  let value: unknown = context;
  for (const name of path.split('.')) value = (value as Context | undefined)?.[name];
  return value as string | undefined;
}
