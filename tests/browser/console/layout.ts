import type { Page } from 'playwright-core';

/** What scrolls by itself, and may hold more than it shows. */
const scrollContainers = 'header nav, pre, textarea, .tall, .palette ul, .projects';

/** Runs in the page, whose types this program does not have. */
const measure = `(named) => {
  const found = new Set();
  const say = (what, element) => found.add(what + ': ' + element.cloneNode().outerHTML.slice(0, 160) + ' ' + (element.textContent ?? '').slice(0, 40));
  const isHidden = (element) => [element, ...ancestors(element)].some((each) => getComputedStyle(each).clipPath === 'inset(50%)')
    || element.closest('svg, canvas, .uplot, datalist, option, [aria-hidden=true]') !== null
    || element.checkVisibility() === false || element.getClientRects().length === 0;
  const clips = (element) => getComputedStyle(element).overflowX !== 'visible';
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) say('page of ' + root.scrollWidth + ' px scrolls sideways', root);
  for (const parent of document.querySelectorAll('body, body *')) {
    if (isHidden(parent)) continue;
    const { overflowX } = getComputedStyle(parent);
    if (['auto', 'scroll'].includes(overflowX) && parent.scrollWidth > parent.clientWidth + 1 && !parent.matches(named) && parent !== document.body)
      say('scrolls sideways', parent);
    const outer = parent.getBoundingClientRect();
    const boxes = [];
    for (const child of parent.children) {
      if (isHidden(child)) continue;
      const style = getComputedStyle(child);
      const isFree = ['absolute', 'fixed'].includes(style.position) || child.tagName === 'DIALOG';
      const box = child.getBoundingClientRect();
      if (box.width === 0 || box.height === 0) continue;
      const isCut = [...ancestors(child)].some(clips);
      if (!isCut && (box.left < -1 || box.right > innerWidth + 1)) say('outside the window', child);
      if (isFree || style.display === 'inline' || style.display === 'contents') continue;
      const parentIsInline = ['inline', 'contents'].includes(getComputedStyle(parent).display);
      if (!parentIsInline && !clips(parent)) {
        if (box.left < outer.left - 1 || box.right > outer.right + 1) say('wider than its parent', child);
        if (box.top < outer.top - 1 || box.bottom > outer.bottom + 1) say('higher than its parent', child);
      }
      boxes.push([child, box]);
    }
    for (const [at, [child, one]] of boxes.entries())
      for (const [other, two] of boxes.slice(at + 1))
        if (one.left < two.right - 1 && two.left < one.right - 1 && one.top < two.bottom - 1 && two.top < one.bottom - 1)
          say('under ' + other.cloneNode().outerHTML.slice(0, 80), child);
  }
  return [...found];
  function* ancestors(element) { for (let up = element.parentElement; up !== null && up !== document.body; up = up.parentElement) yield up; }
}`;

/**
 * What stands where it should not, a line each: outside its parent or the window, over its neighbour, or in a box that scrolls and is not
 * one of the named. A pixel is the tolerance, for fractions.
 */
export async function misplacedOn(page: Page): Promise<readonly string[]> {
  return await page.evaluate<string[]>(`(${measure})(${JSON.stringify(scrollContainers)})`);
}
