import { dirname, join } from 'node:path';

interface Line {
  readonly number: number;
  readonly text: string;
}

interface Fence {
  readonly number: number;
  readonly text: string;
  /** Lines that look as if a block began within it. */
  readonly inner: number;
  readonly isClosed: boolean;
}

const fencePattern = /^\s*(`{3,})(.*)$/;

/** Divides a page into its prose and its blocks of code. */
function divide(page: string): { prose: Line[]; fences: Fence[] } {
  const prose: Line[] = [];
  const fences: Fence[] = [];
  let open: { number: number; text: string; marks: number; inner: number } | undefined;
  for (const [index, text] of page.split('\n').entries()) {
    const [, marks = '', rest = ''] = fencePattern.exec(text) ?? [];
    if (open === undefined) {
      if (marks === '') prose.push({ number: index + 1, text });
      else open = { number: index + 1, text: text.trim(), marks: marks.length, inner: 0 };
    } else if (marks.length >= open.marks && rest.trim() === '') {
      fences.push({ ...open, isClosed: true });
      open = undefined;
    } else if (marks !== '') open.inner += 1;
  }
  if (open !== undefined) fences.push({ ...open, isClosed: false });
  return { prose, fences };
}

/** Blocks of code that a page opens and does not close, or that swallow another one: what a formatter makes of a fence at the wrong indent. */
export function openFences(page: string): string[] {
  return divide(page).fences.flatMap(({ number, text, inner, isClosed }) => {
    if (!isClosed) return [`line ${number}: ${text} is not closed`];
    return inner > 0 ? [`line ${number}: ${text} has a block within it`] : [];
  });
}

/** The fragments that lead to a page's headings, as GitHub makes them. */
export function headingsOf(page: string): Set<string> {
  const names = new Set<string>();
  for (const { text } of divide(page).prose) {
    const [, heading] = /^#{1,6}\s+(.*)$/.exec(text) ?? [];
    if (heading === undefined) continue;
    const plain = heading
      .trim()
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const name = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let free = name;
    for (let n = 1; names.has(free); n += 1) free = `${name}-${n}`;
    names.add(free);
  }
  return names;
}

export interface PageToCheck {
  /** Its path from the repository's root. */
  readonly page: string;
  readonly text: string;
  readonly exists: (path: string) => boolean;
  /** The headings of another page, by its path. */
  readonly headings: (path: string) => ReadonlySet<string>;
}

/** Links of a page to files and headings of this repository that are not there. Other sites are not asked. */
export function deadLinks({ page, text, exists, headings }: PageToCheck): string[] {
  return divide(text).prose.flatMap((line) => {
    const links = line.text.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g);
    return [...links].flatMap(([, link = '']) => {
      if (/^[a-z]+:/.test(link)) return [];
      const [file = '', heading] = link.split('#');
      const path = file === '' ? page : join(dirname(page), decodeURI(file));
      const at = `${page}:${line.number}: ${link}`;
      if (!exists(path)) return [`${at} is not there`];
      if (heading === undefined || !path.endsWith('.md') || headings(path).has(heading)) return [];
      return [`${at} has no such heading`];
    });
  });
}
