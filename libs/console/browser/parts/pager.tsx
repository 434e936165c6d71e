/** Leads to the first and the next page of a list that the server pages. */
export function Pager({ firstHref, nextHref, nextText = 'Next page →' }: PagerOptions) {
  if (firstHref === undefined && nextHref === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {firstHref === undefined ? <span /> : <a href={firstHref}>← First page</a>}
      {nextHref === undefined ? <span class="fine">This is the last page.</span> : <a href={nextHref}>{nextText}</a>}
    </nav>
  );
}

interface PagerOptions {
  readonly firstHref?: string;
  readonly nextHref?: string;
  readonly nextText?: string;
}
