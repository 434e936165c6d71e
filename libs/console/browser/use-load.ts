import { useEffect, useState } from 'preact/hooks';
import { isUnanswered, noteAnswer, noteFailure, retryMs } from './network';

export interface Loaded<T> {
  /** The last that came; kept while the next is asked for, and when that fails. */
  readonly value: T | undefined;
  /** What was refused. Absent while nothing answers: the page says that once, for all of it. */
  readonly error: unknown;
  /** Asks again now. */
  readonly reload: () => void;
}

export interface LoadOptions<T> {
  /** Asked again this long after each answer, while the tab is looked at. @default never */
  readonly everyMs?: number;
  /** Whether the answer may still change. @default always */
  readonly isOver?: (value: T) => boolean;
}

/**
 * What `load` answers, from the first render with `of` on.
 * @param of names what is loaded: with another one everything begins anew
 */
export function useLoad<T>(
  of: string,
  load: (signal: AbortSignal) => Promise<T>,
  { everyMs, isOver }: LoadOptions<T> = {},
): Loaded<T> {
  const [state, setState] = useState<{ of: string; value?: T; error?: unknown }>({ of });
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    let timer: number | undefined;
    const again = (afterMs = everyMs): void => {
      if (afterMs === undefined || leaving.signal.aborted) return;
      timer = setTimeout(() => void (document.hidden ? again(afterMs) : poll()), afterMs);
    };
    const poll = async (): Promise<void> => {
      try {
        const value = await load(leaving.signal);
        if (leaving.signal.aborted) return;
        noteAnswer();
        setState({ of, value });
        if (isOver?.(value) !== true) again();
      } catch (error) {
        if (leaving.signal.aborted) return;
        noteFailure(error);
        if (isUnanswered(error)) return again(retryMs);
        setState((before) => ({ ...(before.of === of ? before : { of }), error }));
        again();
      }
    };
    void poll();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [of, asked]);
  const { value, error } = state.of === of ? state : { value: undefined, error: undefined };
  return { value, error, reload: () => setAsked((count) => count + 1) };
}
