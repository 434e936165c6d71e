/**
 * Runs `work` and heartbeats meanwhile, so that a slow handler does not cost the membership.
 * `work` can ask whether the heartbeats still succeed; when one did not, its error is thrown after `work` has ended.
 * @param everyMs how often to call `heartbeat`, which itself keeps to the consumer's interval
 */
export async function beatDuring(
  heartbeat: () => Promise<void>,
  work: (isBeating: () => boolean) => Promise<void>,
  everyMs = 500,
): Promise<void> {
  let failure: { error: unknown } | undefined;
  const timer = setInterval(() => {
    heartbeat().catch((error: unknown) => {
      failure ??= { error };
      clearInterval(timer);
    });
  }, everyMs);
  try {
    await work(() => failure === undefined);
  } finally {
    clearInterval(timer);
  }
  if (failure) throw failure.error;
}
