import { useEffect, useState } from 'preact/hooks';

/** A request without a reply is sent again after this long, also where a reply would be the last. */
export const retryMs = 3_000;

/** Nothing can be read or changed. */
interface Outage {
  /** Since when, in milliseconds. */
  readonly at: number;
  /** Why, as the service says it. Absent: it does not answer at all. */
  readonly reason?: string | undefined;
}

/** Undefined while requests are answered. */
let outage: Outage | undefined;
const followers = new Set<() => void>();

function note(next: Omit<Outage, 'at'> | undefined): void {
  if (outage === undefined ? next === undefined : next !== undefined && outage.reason === next.reason) return;
  outage = next && { at: outage?.at ?? Date.now(), ...next };
  for (const follow of followers) follow();
}

/** A request was answered, whatever the answer. */
export function noteAnswer(): void {
  note(undefined);
}

interface Failed {
  readonly name?: string;
  readonly code?: string;
  readonly detail?: string;
}

/** Whether the network, the service or its database is away. What is refused is an answer. */
export function isUnanswered(error: unknown): boolean {
  const { name, code } = error as Failed;
  return name === 'SluiceConnectionError' || code === 'service.unavailable';
}

export function noteFailure(error: unknown): void {
  const { code, detail } = error as Failed;
  note(isUnanswered(error) ? { reason: code === undefined ? undefined : detail } : undefined);
}

/** What keeps requests from being answered, updated whenever that changes. */
export function useOutage(): Outage | undefined {
  const [, draw] = useState(0);
  useEffect(() => {
    const follow = (): void => draw((count) => count + 1);
    followers.add(follow);
    return () => void followers.delete(follow);
  }, []);
  return outage;
}
