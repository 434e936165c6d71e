import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { childEnvironment } from './environment.mjs';
import { launcher, root, tool, workspaceNode } from './paths.mjs';
import { isInterrupted, runChild } from './run-child.mjs';

const require = createRequire(import.meta.url);
const { addUp, closingLine } = require(join(root, 'tests', 'setup', 'closing-line.js'));
const { checkRules, readRules } = require(join(root, 'tests', 'setup', 'rule-check.js'));

/**
 * Two workers: each test file has a database, topics and groups of its own, and more would need more database connections than the
 * stack's Postgres gives. jest by itself leaves one of two cores idle. Black-box tests drive and kill whole processes, so each has the
 * machine for itself.
 */
const runs = [
  ['--selectProjects', 'architecture', 'unit', 'integration', '--passWithNoTests', '--maxWorkers=2'],
  ['--selectProjects', 'blackbox', '--passWithNoTests', '--runInBand'],
];

/** How long jest may take to leave after its last test, in milliseconds. What stays longer has left something open. */
const leaveMs = 20_000;

/**
 * `npm test [-- jest arguments]`: every suite, then the rules without a test that passed, then one closing line with the sum.
 * @returns 0 only when something ran, nothing failed and (without arguments) no rule of the specification lacks a test
 */
export async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  const files = { counts: join(folder, 'counts'), passedRules: join(folder, 'passed-rules') };
  const chosen = args.some((arg) => arg.startsWith('--selectProjects')) ? [[]] : runs;
  try {
    const codes = [];
    for (const run of chosen) {
      codes.push(await runJest([...run, ...args], files));
      if (isInterrupted(codes.at(-1))) break;
    }
    // Also after a jest that was ended and could not do it.
    await runChild(workspaceNode, [launcher, 'stack', 'release']);
    const isWhole = args.length === 0 && !codes.some(isInterrupted);
    const ruleProblems = reportRules(readLines(files.passedRules).flat(), isWhole);
    const counts = readLines(files.counts);
    const { total, code } = addUp({ codes, counts, expectedRuns: chosen.length, ruleProblems });
    process.stdout.write(`${closingLine(total)}\n`);
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Says what is wrong with the rules, then the line about them. @returns what is wrong */
function reportRules(passedIds, isWhole) {
  const { line, problems } = checkRules({ ...readRules(root), passedIds, isWhole });
  for (const problem of problems) process.stdout.write(`rule ${problem}\n`);
  process.stdout.write(`${line}\n`);
  return problems;
}

async function runJest(args, { counts, passedRules }) {
  // The services stay up between the runs.
  const reports = { CLOSING_LINE_FILE: counts, PASSED_RULES_FILE: passedRules };
  const env = { ...childEnvironment(), ...reports, LEAVE_SERVICES: '1' };
  const before = readLines(counts).length;
  let watch;
  const onSpawn = (child) => {
    watch = killWhenItStays(child, () => readLines(counts).length > before);
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
