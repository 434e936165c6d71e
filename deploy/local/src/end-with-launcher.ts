/**
 * Preloaded into every service process that the launcher starts: ends the process when the launcher is gone, however it
 * went. A launcher killed with `kill -9` cannot stop its children, which would keep the ports.
 */
import { identify, isRunning } from '@sluice/stack';

const everyMs = 500;
/** How long an orderly stop may take. A service gives requests in flight ten seconds. */
const patienceMs = 15_000;

const option = '--launcher=';
const launcherPid = Number(process.argv.find((word) => word.startsWith(option))?.slice(option.length));
const launcher = identify(launcherPid);
// Under `node --watch` our parent is the watcher, which would only start us again.
const watcherPid = process.ppid === launcherPid ? undefined : process.ppid;

if (launcherPid > 0) {
  const timer = setInterval(() => {
    if (launcher !== undefined && isRunning(launcher)) return;
    clearInterval(timer);
    end();
  }, everyMs);
  timer.unref();
}

function end(): void {
  setTimeout(() => process.exit(1), patienceMs).unref();
  // Number 1 has adopted us: the watcher has gone already.
  if (watcherPid !== undefined && watcherPid > 1 && process.ppid === watcherPid) process.kill(watcherPid, 'SIGTERM');
  process.kill(process.pid, 'SIGTERM');
}
