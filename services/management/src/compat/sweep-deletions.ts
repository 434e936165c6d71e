import type { ManagementContext } from '../context';

/** How often it is looked whether what was being sent has ended, and whether a process died while it deleted a project. */
const everyMs = 10_000;

/** Erases what is left of deleted projects. Any number of processes may do so. Returns a function that ends it. */
export function sweepDeletions({ logger, store: { projects } }: ManagementContext): () => Promise<void> {
  let isEnded = false;
  let running: Promise<void> | undefined;

  const erase = async (projectId: string): Promise<void> => {
    if (isEnded) return;
    const erasure = await projects.erase(projectId);
    if (erasure === 'done') logger.info({ projectId }, 'project.erased');
    if (erasure === 'withdrawing' || erasure === 'erasing') await erase(projectId);
  };
  const sweep = async (): Promise<void> => {
    for (const projectId of await projects.removed())
      // One that cannot be erased does not keep the others.
      await erase(projectId).catch((error: unknown) => logger.warn({ error, projectId }, 'project.erasure-failed'));
  };
  const run = (): void => {
    running ??= sweep()
      .catch((error: unknown) => logger.warn({ error }, 'project.erasure-failed'))
      .finally(() => (running = undefined));
  };
  run();
  const timer = setInterval(run, everyMs);
  return async () => {
    isEnded = true;
    clearInterval(timer);
    await running;
  };
}
