/** Longest wait, in milliseconds: it ends what hangs. */
const boundMs = 60_000;

/** Test support: waits until `check` holds. */
export async function eventually(check: () => boolean | Promise<boolean>, everyMs = 5): Promise<void> {
  const end = performance.now() + boundMs;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`did not happen within ${boundMs} ms: ${check.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** A grant with the moments between which it was given. */
export interface Grant {
  readonly askedMs: number;
  readonly givenMs: number;
}

/** Most grants that certainly lie in one window, however long each answer travelled. */
export function mostInOneWindow(grants: readonly Grant[], windowMs: number): number {
  const inOrder = grants.toSorted((one, other) => one.askedMs - other.askedMs);
  return Math.max(
    0,
    ...inOrder.map(
      ({ askedMs }) => inOrder.filter((g) => g.askedMs >= askedMs && g.givenMs < askedMs + windowMs).length,
    ),
  );
}
