import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readText } from './architecture/source-tree';

const root = join(__dirname, '..');
const files = globSync('.github/workflows/*', { cwd: root }).toSorted();

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly uses?: string;
  readonly if?: string;
  readonly needs?: string | readonly string[];
  readonly container?: { readonly image: string };
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
  readonly steps?: readonly Step[];
  readonly 'timeout-minutes'?: number;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const readWorkflow = (file: string): Workflow => parse(readText(file)) as Workflow;
const jobs = files.flatMap((file) =>
  Object.entries(readWorkflow(file).jobs).map(([name, job]) => ({ at: `${file}, ${name}`, job })),
);
const steps = jobs.flatMap(({ at, job }) => (job.steps ?? []).map((step) => ({ at, step })));
const scripts = Object.keys((JSON.parse(readText('package.json')) as { scripts: Record<string, string> }).scripts);

// Workflows run on hosted machines only, so here is all that is known of them before.
describe('the workflows', () => {
  it('are those for changes and for releases', () => {
    expect(files).toEqual(['.github/workflows/ci.yml', '.github/workflows/release.yml']);
  });

  it('pass the linter', () => {
    expect(lint(...files)).toEqual([]);
  });

  // What is not in package.json nobody has run by hand, and an expression in a command is a way to run another one.
  it('run commands of package.json and nothing else', () => {
    expect(steps.flatMap(({ at, step }) => (step.run === undefined ? [] : commandProblems(at, step.run)))).toEqual([]);
    expect(steps.filter(({ step }) => step.run !== undefined).length).toBeGreaterThan(6);
  });

  it('name every action by digest, with its version, or by an exact version; each by one', () => {
    const used = files.flatMap((file) =>
      [...readText(file).matchAll(/\buses: (.+)$/gm)].map((match) => match[1] ?? ''),
    );
    expect(used.flatMap(actionProblems)).toEqual([]);
    const actions = [...new Set(used.filter((action) => !action.startsWith('./')))];
    expect(actions.length).toBeGreaterThan(5);
    expect(new Set(actions.map((action) => action.split('@')[0])).size).toBe(actions.length);
  });

  it('leave no credentials in the checkout', () => {
    const checkouts = steps.filter(({ step }) => step.uses?.startsWith('actions/checkout@'));
    expect(checkouts.length).toBeGreaterThan(5);
    expect(checkouts.filter(({ step }) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });

  it.each(files)('%s: has no permission that its jobs share', (file) => {
    expect(readWorkflow(file).permissions).toEqual({});
  });

  /** What a job may besides reading the repository. */
  const permitted: Readonly<Record<string, Job['permissions']>> = {
    images: { packages: 'write' },
    chart: { packages: 'write' },
    // Signs what it made as made by this run.
    packages: { 'id-token': 'write', attestations: 'write' },
    python: { 'id-token': 'write', attestations: 'write' },
    release: { contents: 'write' },
  };
  it.each(jobs)('$at: reads the repository, and may write what it publishes alone', ({ at, job }) => {
    const [, name = ''] = /release\.yml, (\w+)$/.exec(at) ?? [];
    expect(job.permissions).toEqual({ contents: 'read', ...permitted[name] });
  });

  it.each(jobs.filter(({ job }) => job.uses === undefined))('$at: ends within an hour', ({ job }) => {
    expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
  });

  it('test with the Node of the workspace', () => {
    const { nodeVersion } = parse(readText('pnpm-workspace.yaml')) as { nodeVersion: string };
    const images = jobs.flatMap(({ job }) => job.container?.image ?? []);
    expect(images.length).toBeGreaterThan(2);
    expect(new Set(images)).toEqual(new Set([`node:${nodeVersion}-bookworm`]));
  });
});

describe('ci.yml', () => {
  const { on, jobs: tiers } = readWorkflow('.github/workflows/ci.yml');
  const commands = (job?: Job) => (job?.steps ?? []).flatMap(({ run }) => run ?? []);

  it('runs check and test for a pull request, and every night test:full too', () => {
    expect(Object.keys(on).toSorted()).toEqual(['pull_request', 'schedule', 'workflow_call', 'workflow_dispatch']);
    expect(commands(tiers.check)).toEqual(['npm run check']);
    expect(commands(tiers.test)).toEqual(['npm test']);
    expect([tiers.check?.if, tiers.test?.if]).toEqual([undefined, undefined]);
    expect(tiers.full?.if).toBe("github.event_name != 'pull_request'");
  });

  it('runs every shard', () => {
    expect(tiers.full?.strategy?.matrix.shard).toEqual([1, 2, 3, 4]);
    expect(commands(tiers.full).at(-1)).toBe('npm run test:full -- --shard ${{ matrix.shard }}/4');
  });
});

describe('release.yml', () => {
  const { jobs: parts } = readWorkflow('.github/workflows/release.yml');

  it('publishes nothing before the tests, the audit and the version are green', () => {
    expect(parts.tests?.uses).toBe('./.github/workflows/ci.yml');
    expect(parts.images?.needs).toEqual(['version', 'audit', 'tests']);
    expect(parts.packages?.needs).toEqual(['version', 'audit', 'tests']);
    expect(parts.python?.needs).toEqual(['version', 'audit', 'tests']);
    expect(parts.chart?.needs).toBe('images');
    expect(parts.release?.needs).toEqual(['packages', 'python', 'chart']);
    const published = [parts.tests, parts.images, parts.packages, parts.python, parts.chart, parts.release];
    expect(published.filter((job) => job?.if !== undefined)).toEqual([]);
  });

  it.each([
    ['packages', 'npm run release:packages'],
    ['python', 'npm run release:python'],
  ])('says of what the job %s makes which commit and run made it', (name, command) => {
    const packageSteps = parts[name]?.steps ?? [];
    const made = packageSteps.findIndex(({ run }) => run === command);
    const attested = packageSteps.findIndex(({ uses }) => uses?.startsWith('actions/attest-build-provenance@'));
    const kept = packageSteps.findIndex(({ uses }) => uses?.startsWith('actions/upload-artifact@'));
    expect([made, attested, kept]).toEqual([1, 2, 3]);
    expect(packageSteps[attested]?.with?.['subject-path']).toBe(packageSteps[kept]?.with?.['path']);
  });

  it('builds every image', () => {
    const [, stages = ''] = readText('docker/Dockerfile').split('-- Images\n');
    const targets = [...stages.matchAll(/^FROM \S+ AS (\S+)$/gm)].map((match) => match[1]);
    expect(parts.images?.strategy?.matrix.target?.toSorted()).toEqual(targets.toSorted());
  });
});

describe('dependabot.yml', () => {
  it('moves packages, actions and the bases of the images', () => {
    const { updates } = parse(readText('.github/dependabot.yml')) as { updates: Record<string, unknown>[] };
    expect(updates.map((update) => [update['package-ecosystem'], update.directory])).toEqual([
      ['npm', '/'],
      ['github-actions', '/'],
      ['docker', '/docker'],
      ['pip', '/deploy/release/python'],
    ]);
  });
});

describe('the forms of issues', () => {
  interface Field {
    readonly id?: string;
    readonly type: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }
  const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: root })
    .filter((file) => !file.endsWith('config.yml'))
    .map((file) => ({
      file,
      form: parse(readText(file)) as { name: string; description: string; body: Field[] },
    }));

  // GitHub shows no form at all where one of these is missing.
  it.each(forms)('$file: has a name, a description, and fields with labels', ({ form }) => {
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    const fields = form.body.filter(({ type }) => type !== 'markdown');
    expect(fields.length).toBeGreaterThan(0);
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
    for (const { attributes } of fields) expect(attributes).toMatchObject({ label: expect.any(String) });
  });

  it('are those for a fault, a wish and a question', () => expect(forms).toHaveLength(3));
});

// Checks that nothing fails pass on everything, so each is tried on a violation.
describe('the checks of workflows', () => {
  it('report what GitHub would refuse, and a name that nothing has', () => {
    const job = 'jobs: { a: { runs-on: ubuntu-24.04, steps: [{ run: npm test }] } }';
    const broken = {
      'event.yml': `on: { push: { branchs: [main] } }\n${job}`,
      'permission.yml': `on: push\npermissions: { contents: wirte }\n${job}`,
      'cron.yml': `on: { schedule: [{ cron: '61 * * * *' }] }\n${job}`,
      'needs.yml': 'on: push\njobs: { a: { runs-on: ubuntu-24.04, needs: [b], steps: [{ run: npm test }] } }',
      'expression.yml': `on: push\n${job.replace('npm test', "'echo ${{ githb.ref }}'")}`,
      'step.yml': `on: push\n${job.replace('npm test', "'echo ${{ steps.b.outputs.c }}'")}`,
      'matrix.yml': `on: push\n${job.replace('steps', 'strategy: { matrix: { b: [1] } }, steps').replace('npm test', "'echo ${{ matrix.c }}'")}`,
      'yaml.yml': 'on: [push\n',
    };
    const folder = mkdtempSync(join(tmpdir(), 'workflows-'));
    try {
      for (const [name, text] of Object.entries(broken)) writeFileSync(join(folder, name), text);
      const found = lint(...Object.keys(broken).map((name) => join(folder, name)));
      expect(new Set(found.map((line) => line.split(':')[0]))).toEqual(new Set(Object.keys(broken)));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each(['npm run chek', 'npm ci', 'apt-get install redis', 'npm test && echo done', 'npm run check\nnpm test'])(
    'refuse the command %j',
    (run) => expect(commandProblems('a', run)).toHaveLength(1),
  );

  it('refuse an expression of what a visitor wrote', () => {
    expect(commandProblems('a', 'npm test -- ${{ github.head_ref }}')).toHaveLength(1);
  });

  it.each([
    'actions/checkout@v5',
    'actions/checkout@main',
    'actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8',
  ])('refuse the action %s', (action) => expect(actionProblems(action)).toHaveLength(1));
});

/** `npm test` or `npm run NAME`, with arguments that are words or values of the job's own matrix. */
function commandProblems(at: string, run: string): string[] {
  const command = /^npm (?:test|run ([\w:]+))(?: --(?: (?:[\w/-]|\$\{\{ matrix\.\w+ \}\})+)+)?$/.exec(run);
  return command !== null && scripts.includes(command[1] ?? 'test') ? [] : [`${at}: ${run}`];
}

function actionProblems(action: string): string[] {
  return /^(\.\/|[\w./-]+@([0-9a-f]{40} # v\d+\.\d+\.\d+|v\d+\.\d+\.\d+)$)/.test(action) ? [] : [action];
}

function lint(...paths: string[]): string[] {
  const { stdout, stderr } = spawnSync(process.execPath, [join(__dirname, 'workflows/lint.mjs'), ...paths], {
    cwd: root,
    encoding: 'utf8',
  });
  // The linter itself failed.
  if (stderr !== '') throw new Error(stderr);
  return stdout.split('\n').filter((line) => line !== '');
}
