interface SkeletonOptions {
  /** What it stands for: rows of a table, figures side by side, a panel, or lines of text. */
  readonly of: 'table' | 'tiles' | 'card' | 'text';
  /** Rows, tiles or lines. @default 8 rows, 5 tiles, 4 lines */
  readonly rows?: number;
}

const defaults = { table: 8, tiles: 5, card: 4, text: 4 } as const;

/** As much room as what is being loaded will take, so that nothing moves when it comes. */
export function Skeleton({ of, rows = defaults[of] }: SkeletonOptions) {
  return (
    <div class={`skeleton of-${of}`} aria-busy="true">
      <span class="hidden">Loading…</span>
      {Array.from({ length: rows }, (_none, at) => (
        <i key={at} aria-hidden="true" />
      ))}
    </div>
  );
}
