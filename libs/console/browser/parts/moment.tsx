import { fromNow, inFull } from '../format';

/** A time relative to now; the time itself is in the tooltip. */
export function Moment({ of }: { readonly of: string | undefined }) {
  if (of === undefined) return <span class="fine">never</span>;
  return (
    <time dateTime={of} title={inFull(of)}>
      {fromNow(of)}
    </time>
  );
}
