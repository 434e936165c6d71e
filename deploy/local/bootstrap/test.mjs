import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { childEnvironment } from './environment.mjs';
import { launcher, root, tool, workspaceNode } from './paths.mjs';
import { isInterrupted, runChild } from './run-child.mjs';

const { addUp, closingLine } = createRequire(import.meta.url)(join(root, 'tests', 'setup', 'closing-line.js'));

/** Black-box tests drive and kill whole processes, so each has the machine for itself. */
const runs = [
  ['--selectProjects', 'architecture', 'unit', 'integration', '--passWithNoTests'],
  ['--selectProjects', 'blackbox', '--passWithNoTests', '--runInBand'],
];

/** How long jest may take to leave after its last test, in milliseconds. What stays longer has left something open. */
const leaveMs = 20_000;

/**
 * `npm test [-- jest arguments]`: every suite, then one closing line with the sum.
 * @returns 0 only when something ran and nothing failed
 */
export async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  const countsFile = join(folder, 'counts');
  const chosen = args.some((arg) => arg.startsWith('--selectProjects')) ? [[]] : runs;
  try {
    const codes = [];
    for (const run of chosen) {
      codes.push(await runJest([...run, ...args], countsFile));
      if (isInterrupted(codes.at(-1))) break;
    }
    // Also after a jest that was ended and could not do it.
    await runChild(workspaceNode, [launcher, 'stack', 'release']);
    const { total, code } = addUp({ codes, counts: readCounts(countsFile), expectedRuns: chosen.length });
    process.stdout.write(`${closingLine(total)}\n`);
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runJest(args, countsFile) {
  // The services stay up between the runs.
  const env = { ...childEnvironment(), CLOSING_LINE_FILE: countsFile, LEAVE_SERVICES: '1' };
  const before = readCounts(countsFile).length;
  let watch;
  const onSpawn = (child) => {
    watch = killWhenItStays(child, () => readCounts(countsFile).length > before);
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

function readCounts(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}
