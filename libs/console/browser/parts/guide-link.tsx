import type { ComponentChildren } from 'preact';
import { guideTerms, type GuideTerm } from '../guide-terms';

interface GuideOptions {
  readonly of: GuideTerm;
  readonly children: ComponentChildren;
}

/** Leads to where the guide explains a word. What was typed here stays: it opens beside this page. */
export function GuideLink({ of, children }: GuideOptions) {
  return (
    <a href={`docs/guide/${guideTerms[of]}`} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
