import { useEffect, useState } from 'preact/hooks';

/** A request without a reply is sent again after this long, also where a reply would be the last. */
export const retryMs = 3_000;

/** When the management service stopped to answer; undefined while it is reached. */
let lostAt: number | undefined;
const followers = new Set<() => void>();

function note(at: number | undefined): void {
  if ((lostAt === undefined) === (at === undefined)) return;
  lostAt = at;
  for (const follow of followers) follow();
}

/** A request was answered, whatever the answer. */
export function noteAnswer(): void {
  note(undefined);
}

/** Whether no answer came at all: the network or the service is away. What is refused is an answer. */
export function isUnanswered(error: unknown): boolean {
  return (error as { readonly name?: string }).name === 'SluiceConnectionError';
}

export function noteFailure(error: unknown): void {
  note(isUnanswered(error) ? Date.now() : undefined);
}

/** Since when nothing answers, updated whenever that changes. */
export function useLostAt(): number | undefined {
  const [, draw] = useState(0);
  useEffect(() => {
    const follow = (): void => draw((count) => count + 1);
    followers.add(follow);
    return () => void followers.delete(follow);
  }, []);
  return lostAt;
}
