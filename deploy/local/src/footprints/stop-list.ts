/** What must be stopped, in the reverse order of starting. */
export interface StopList {
  readonly add: (stop: () => Promise<void>) => void;
  /** Runs each once, also after one that failed. A second call gives the same promise. */
  readonly run: () => Promise<void>;
}

export function createStopList(): StopList {
  const stops: (() => Promise<void>)[] = [];
  let running: Promise<void> | undefined;
  const runAll = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const stop of stops.toReversed()) {
      await stop().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };
  return { add: (stop) => void stops.push(stop), run: () => (running ??= runAll()) };
}
