/** A fenced block of a page: `sh`, or `json reply`. */
export interface Block {
  readonly language: string;
  /** Whether the block shows what the command before it prints. */
  readonly isReply: boolean;
  readonly text: string;
  /** Of a block in a list. */
  readonly indent: string;
  /** Where its text begins and ends in the page. */
  readonly begin: number;
  readonly end: number;
}

export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^([ ]*)```(\w+)((?: \w+)*)\n([^]*?)^\1```$/gm)].map((match) => {
    const [whole, indent = '', language = '', words = '', text = ''] = match;
    const begin = match.index + whole.indexOf('\n') + 1;
    const plain = text.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    return { language, isReply: words === ' reply', text: plain, indent, begin, end: begin + text.length };
  });
}

/** The page with other replies; those are named in its order. */
export function withReplies(page: string, replies: readonly (readonly [Block, string])[]): string {
  let written = page;
  for (const [{ begin, end, indent }, text] of replies.toReversed()) {
    const lines = text.trim().split('\n');
    const block = lines.map((line) => (line === '' ? '\n' : `${indent}${line}\n`)).join('');
    written = written.slice(0, begin) + block + written.slice(end);
  }
  return written;
}

/** Whether a command printed what the page shows. `…` stands for what the page leaves out. */
export function isShown(shown: string, printed: string): boolean {
  const form = formOf(shown);
  if (!form.includes('…')) return form === formOf(printed);
  const parts = form.replaceAll(/\s+/g, '').split('…');
  const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('[^]*?');
  return new RegExp(`^${pattern}$`).test(formOf(printed).replaceAll(/\s+/g, ''));
}

/** A command or a program, with the block that shows what it prints. */
export interface Snippet {
  readonly block: Block;
  readonly reply: Block | undefined;
}

/** @throws Error for a reply that follows no command */
export function snippetsOf(blocks: readonly Block[]): Snippet[] {
  return blocks.flatMap((block, at) => {
    if (block.isReply && (at === 0 || blocks[at - 1]?.isReply))
      throw new Error(`a reply without a command: ${block.text}`);
    if (block.isReply) return [];
    const next = blocks[at + 1];
    return [{ block, reply: next?.isReply ? next : undefined }];
  });
}

/** A program that the page names in its first line is saved under that name; the commands after it run it. */
export const fileOf = (program: string): string | undefined => /^\/\/ (\S+\.mts)\n/.exec(program)?.[1];

/** What does not differ from run to run. */
function formOf(printed: string): string {
  return printed
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>')
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<moment>')
    .replaceAll(/\bwhsec_[^"\s]+/g, '<secret>')
    .replaceAll(/(?<=["'/ ])\d{6,}\b/g, '<number>')
    .replaceAll(/127\.0\.0\.1(?::|%3A)\d+/g, '<address>')
    .replaceAll(/(?<=state(?:=|%3D))[\w-]+|(?<=code_challenge=)[\w-]+/g, '<state>')
    .replaceAll(/(?<=correlationId":\s*")[^"]+/g, '<id>')
    .trim();
}

/** JSON as a person would write it: what fits into a line stays on one. */
export function jsonLines(value: unknown, indent = ''): string {
  const line = onOneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + line.length <= 100) return line;
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((item) => inner + jsonLines(item, inner))
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${jsonLines(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${members.join(',\n')}\n${indent}${close}`;
}

function onOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${onOneLine(item)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
