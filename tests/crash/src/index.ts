import { randomBytes } from 'node:crypto';
import { ConfigError, readProcessEnv } from '@sluice/config';
import { check } from '../../faults/harness/checker';
import { sendLoad } from '../../faults/harness/load';
import { seededRandom } from '../../faults/harness/seeded-random';
import { connectWorld } from './connect-world';
import { deletePods, type Deletion } from './delete-pods';
import { openPods } from './pods';
import { crashTestEnv, type CrashTestSettings } from './settings';
import { renderFailures, type ReadOperation } from './render-failures';
import { renderResult } from './render-result';

const services = ['write-gateway', 'executor', 'batcher', 'management', 'search'];

/** Writes through the Services while pods are deleted, and compares what was answered, what is stored and what the provider did. */
async function main(settings: CrashTestSettings): Promise<boolean> {
  const { crashTestWrites: writes, crashTestDeletions: wanted, crashTestSeed: seed } = settings;
  const { crashTestRelease: release, crashTestPerSecond: perSecond } = settings;
  const random = seededRandom(`crash/${seed}`);
  const world = await connectWorld(settings);
  const context = { world, random, isFull: false, run: `crash-${seed}-${randomBytes(3).toString('hex')}` };
  const pods = wanted === 0 || release === undefined ? undefined : openPods(release);
  // A generator of its own, so that what is written does not depend on how often pods are listed.
  const moments = seededRandom(`crash/${seed}/pods`);
  const deleter = pods && deletePods({ pods, services, deletions: wanted, writes, random: moments, onDeleted: say });
  printLine(`writing ${writes} records, ${perSecond} requests in a second at most, deleting ${wanted} pods`);
  const onAnswer = (answered: number): void => deleter?.onAnswer(answered);
  const ledger = await sendLoad(context, Object.assign(endedBy('SIGTERM', writes), { perSecond, onAnswer }));
  const deletions = (await deleter?.ended()) ?? [];
  printLine('waiting until every operation has ended, then comparing');
  const boundMs = settings.crashTestBoundSeconds * 1_000;
  const verdict = await check({ world }, ledger, { boundMs, flushLateMs: boundMs });
  const failures = await renderFailures(ledger.failedRequests, logOf);
  const { lines, isHeld } = renderResult({ verdict, ledger, wanted, deletions, failures });
  for (const line of lines) printLine(line);
  return isHeld;
}

const logOf: ReadOperation = async ({ customer: { project } }, operationId) =>
  await project.client.management.listOperationLogs({ operationId });

/** So many writes; none more once the signal came. What was sent until then is compared all the same. */
function endedBy(signal: NodeJS.Signals, writes: number): { readonly writes: number } {
  let left = writes;
  process.once(signal, () => {
    left = 0;
    printLine(`${signal}: writing no more`);
  });
  return {
    get writes() {
      return left;
    },
  };
}

function say({ pod, isForced, answered }: Deletion): void {
  printLine(`deleted ${pod}${isForced ? ' without grace' : ''} after ${answered} answers`);
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function runAsProgram(): Promise<void> {
  try {
    process.exitCode = (await main(crashTestEnv.read(readProcessEnv()))) ? 0 : 1;
  } catch (error) {
    const reason = error instanceof ConfigError ? error.detail : ((error as Error).stack ?? String(error));
    process.stderr.write(`${reason}\n`);
    process.exitCode = 1;
  }
}

void runAsProgram();
