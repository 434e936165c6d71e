import { useEffect, useState } from 'preact/hooks';

export interface Loaded<T> {
  /** The last that came; kept while the next is asked for, and when that fails. */
  readonly value: T | undefined;
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
    const again = (): void => {
      if (everyMs === undefined || leaving.signal.aborted) return;
      timer = setTimeout(() => void (document.hidden ? again() : poll()), everyMs);
    };
    const poll = async (): Promise<void> => {
      try {
        const value = await load(leaving.signal);
        if (leaving.signal.aborted) return;
        setState({ of, value });
        if (isOver?.(value) !== true) again();
      } catch (error) {
        if (leaving.signal.aborted) return;
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
