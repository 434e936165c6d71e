import { fromNow, inFull } from '../format';

/** A moment as its distance; the moment itself is told when pointed at. */
export function Moment({ of }: { readonly of: string | undefined }) {
  if (of === undefined) return <span class="fine">never</span>;
  return (
    <time dateTime={of} title={inFull(of)}>
      {fromNow(of)}
    </time>
  );
}
