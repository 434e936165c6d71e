import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { childEnvironment, isInterrupted, root, runChild, tool, workspaceNode } from './child.mjs';

const require = createRequire(import.meta.url);
const { addUp, closingLine, suiteLines } = require(join(root, 'tests', 'setup', 'run-report.js'));
const { checkRules, readRules } = require(join(root, 'tests', 'setup', 'rule-check.js'));
const { checkItems, readItems } = require(join(root, 'tests', 'setup', 'security-check.js'));
const suites = require(join(root, 'tests', 'tiers.js'));

/**
 * Most suites wait more than they compute, so more workers run than there are cores. Each suite has its own database, topics and groups, or shares
 * the stacks of `tests/harness/shared-stack.ts`. Those of the whole tier start more processes each. What kills its services or measures has the
 * machine for itself.
 */
const together = ['--selectProjects', 'architecture', 'unit', 'integration', 'blackbox'];
const alone = ['--selectProjects', 'alone', '--runInBand'];
const workers = { guard: ['--maxWorkers', '4'], full: ['--maxWorkers', '3'] };

const named = suites.fullOnly.map((part) => part.replaceAll('.', '\\.')).join('|');
const tiers = {
  guard: ['--testPathPatterns', `^(?!(.*/)?(${named}))`],
  full: ['--testPathPatterns', `(^|/)(${named})`],
};

/** What installs a tool that some suites of the whole tier need. They say that they were skipped when it cannot. */
const toolInstallers = [
  'tests/chart/install-tools.mjs',
  'tests/flows/alerts/install-tools.mjs',
  'tests/flows/cells/install-tools.mjs',
  'tests/browser/install-tools.mjs',
  'tests/clients/install-tools.mjs',
];

const usage = {
  guard: `usage: npm test [-- [--seed N]]                      what guards a change: docs/testing.md
       npm test -- [REGEX OF PATHS]... [-t NAME] [--selectProjects NAME]...   some suites, of any tier
       also: --maxWorkers N, --runInBand, --verbose, --detectOpenHandles, --updateSnapshot`,
  full: 'usage: npm run test:full [-- [--shard 1/4] [--seed N]]   what npm test leaves out: docs/testing.md',
};

const options = {
  guard: {
    testPathPatterns: { type: 'string', multiple: true },
    testNamePattern: { type: 'string', short: 't' },
    selectProjects: { type: 'string', multiple: true },
    maxWorkers: { type: 'string' },
    seed: { type: 'string' },
    runInBand: { type: 'boolean', short: 'i' },
    verbose: { type: 'boolean' },
    detectOpenHandles: { type: 'boolean' },
    updateSnapshot: { type: 'boolean', short: 'u' },
  },
  full: { shard: { type: 'string' }, seed: { type: 'string' } },
};

/** What a shell takes for "cannot run at all", as distinct from a test that failed. */
const cannotRun = 2;
/** How long jest may take to leave after its last test, in milliseconds. What stays longer has left something open. */
const leaveMs = 20_000;

/**
 * `npm test` and `npm run test:full`: the suites of a tier, then what took longest, the rules without a test that passed, and one closing line
 * with the sum. With a choice of suites: those, of any tier.
 * @param tier guard or full
 * @returns 0 only when something ran, nothing failed and (of the whole `npm test`) no rule of the specification lacks a test; 2 when nothing
 * could run
 */
export async function runTests(tier, args) {
  const choice = readChoice(tier, args);
  if (choice === undefined) {
    process.stderr.write(`${usage[tier]}\n`);
    return cannotRun;
  }
  if (tier === 'full') await installTools();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  const reportFile = join(folder, 'reports');
  const seed = choice.seed ?? String(Math.floor(Math.random() * 1_000_000));
  process.stdout.write(`order of the suites: --seed ${seed}\n`);
  try {
    const codes = [];
    const runs = runsOf(tier, choice);
    for (const run of runs) {
      codes.push(await runJest([...run, '--seed', seed, '--passWithNoTests'], reportFile));
      if (isInterrupted(codes.at(-1)) || codes.at(-1) === cannotRun) break;
    }
    // Also after a jest that was ended and could not do it.
    await runChild(workspaceNode, [join(root, 'deploy/local/dist/index.js'), 'stack', 'release']);
    const reports = readLines(reportFile);
    if (codes.at(-1) === cannotRun && reports.length === 0) return cannotRun;
    for (const line of suiteLines(reports)) process.stdout.write(`${line}\n`);
    const isWhole = !choice.isPart && !codes.some(isInterrupted);
    const ruleProblems = [
      ...(tier === 'guard' ? reportRules(reports, isWhole) : []),
      ...(isWhole ? reportItems(reports, tier) : []),
    ];
    const { total, code } = addUp({ codes, reports, expectedRuns: runs.length, ruleProblems });
    process.stdout.write(`${closingLine(total)}\n`);
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the words ask for, with jest's own options as jest takes them; undefined for one that is wrong. */
function readChoice(tier, args) {
  try {
    const words = args.filter((arg) => arg !== '--');
    const { values, tokens } = parseArgs({
      args: words,
      options: options[tier],
      allowPositionals: tier === 'guard',
      tokens: true,
    });
    const { seed, shard } = values;
    if (seed !== undefined && !/^-?\d+$/.test(seed)) return undefined;
    if (shard !== undefined && !isShard(shard)) return undefined;
    const passedOn = tokens
      .filter(({ name }) => name !== 'seed')
      .map(({ name = 'testPathPatterns', value }) => (value === undefined ? `--${name}` : `--${name}=${value}`));
    return {
      seed,
      passedOn,
      isPart: passedOn.length > 0,
      hasProjects: values.selectProjects !== undefined,
      hasWorkers: values.maxWorkers !== undefined || values.runInBand === true,
    };
  } catch {
    return undefined;
  }
}

/** `2/4`: the second of four parts. */
function isShard(text) {
  const [, part, parts] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  return Number(part) >= 1 && Number(part) <= Number(parts);
}

function runsOf(tier, { isPart, passedOn, hasProjects, hasWorkers }) {
  if (tier === 'full' || !isPart) {
    const runs = [[...together, ...workers[tier]]];
    // A run of jest takes ten seconds to find that it has nothing to do.
    if (tier === 'full' || suites.alone.some((part) => !suites.fullOnly.includes(part))) runs.push(alone);
    return runs.map((run) => [...run, ...tiers[tier], ...passedOn]);
  }
  const more = hasWorkers ? [] : workers.full;
  if (hasProjects) return [[...more, ...passedOn]];
  return [
    [...together, ...more, ...passedOn],
    hasWorkers ? ['--selectProjects', 'alone', ...passedOn] : [...alone, ...passedOn],
  ];
}

async function installTools() {
  for (const installer of toolInstallers) await runChild(workspaceNode, [join(root, installer)]);
}

/** Says what is wrong with the rules, then the line about them. @returns what is wrong */
function reportRules(reports, isWhole) {
  const passedIds = reports.flatMap((report) => report.passedRules);
  const { line, problems } = checkRules({ ...readRules(root), passedIds, isWhole });
  for (const problem of problems) process.stdout.write(`rule ${problem}\n`);
  process.stdout.write(`${line}\n`);
  return problems;
}

/** Says which security items lack a test that ran. @returns what is wrong */
function reportItems(reports, tier) {
  const passed = reports.flatMap((report) => report.suites);
  const problems = checkItems({ items: readItems(root), tier, passed });
  for (const problem of problems) process.stdout.write(`security item ${problem}\n`);
  return problems;
}

async function runJest(args, reportFile) {
  // The services stay up between the runs.
  const env = { ...childEnvironment(), RUN_REPORT_FILE: reportFile, LEAVE_SERVICES: '1' };
  const before = readLines(reportFile).length;
  let watch;
  const onSpawn = (child) => {
    watch = killWhenItStays(child, () => readLines(reportFile).length > before);
  };
  const code = await runChild(workspaceNode, [tool('jest'), '-c', join(root, 'jest.config.js'), ...args], {
    env,
    onSpawn,
  });
  clearInterval(watch);
  return code;
}

function killWhenItStays(child, isFinished) {
  let finishedAt;
  return setInterval(() => {
    if (finishedAt === undefined && isFinished()) finishedAt = performance.now();
    if (finishedAt === undefined || performance.now() - finishedAt < leaveMs) return;
    process.stderr.write('jest has finished but does not leave: a test left something open (--detectOpenHandles)\n');
    child.kill('SIGKILL');
  }, 500);
}

function readLines(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}
