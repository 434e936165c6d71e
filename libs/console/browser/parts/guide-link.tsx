import type { ComponentChildren } from 'preact';

interface GuideOptions {
  /** Name of a page of `docs/guides`, with the heading behind `#`. */
  readonly page: string;
  readonly children: ComponentChildren;
}

/** Leads to where the guide explains a word. What was typed here stays: it opens beside this page. */
export function GuideLink({ page, children }: GuideOptions) {
  return (
    <a href={`docs/guide/${page}`} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
