/**
 * Preloaded in every image. The kernel drops a SIGTERM for process 1 that has no listener yet, so a container stopped while its
 * modules load would live until it is killed. With this listener the signal waits for the service's own, which is there
 * as soon as the modules are; a process that never listens ends here.
 */
for (const [signal, exitCode] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
]) {
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(exitCode);
  });
}
