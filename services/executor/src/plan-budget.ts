/** Plans of one process at once, as bytes of their JSON. Source: design, section 5.8. */
export const planBudgetBytes = 32 * 1024 * 1024;

/** Gives room back. Once. */
export type LetGo = () => void;

/** Memory for the plans of calls under way: what a backlog waits for in the database does not stand in it. */
export interface PlanBudget {
  /**
   * Waits for room, in turn. More than the whole budget waits until it is all free, and then goes alone.
   * @param untilMs of `performance.now()`: how long it may wait
   * @returns undefined when there was no room in time
   */
  take(bytes: number, untilMs: number): Promise<LetGo | undefined>;
  /** Somebody waits: more claims would only wait behind it. */
  isShort(): boolean;
}

interface Waiting {
  readonly bytes: number;
  readonly admit: (letGo: LetGo | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

export function createPlanBudget(totalBytes: number): PlanBudget {
  const queue = new Set<Waiting>();
  let used = 0;
  const fits = (bytes: number): boolean => used + bytes <= totalBytes;
  const enter = (bytes: number): LetGo => {
    used += bytes;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      used -= bytes;
      admitNext();
    };
  };
  const admitNext = (): void => {
    for (const next of queue) {
      if (!fits(next.bytes)) return;
      queue.delete(next);
      clearTimeout(next.timer);
      next.admit(enter(next.bytes));
    }
  };
  return {
    take: (asked, untilMs) => {
      const bytes = Math.min(Math.max(0, asked), totalBytes);
      if (queue.size === 0 && fits(bytes)) return Promise.resolve(enter(bytes));
      return new Promise((admit) => {
        const giveUp = (): void => {
          queue.delete(waiting);
          admit(undefined);
          // It may have stood before smaller ones that fit.
          admitNext();
        };
        const timer = setTimeout(giveUp, Math.max(0, untilMs - performance.now()));
        const waiting: Waiting = { bytes, admit, timer };
        queue.add(waiting);
      });
    },
    isShort: () => queue.size > 0,
  };
}
