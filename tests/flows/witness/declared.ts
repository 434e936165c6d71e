import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What a client of a provider declares of the bodies it reads, in the form of a witness: `name! type` (see `form` in the files here). */
export class Declarations {
  private readonly text: string;

  /**
   * @param paths declaration files, or folders of them
   * @param wireNames the name on the wire of a member that the client renames
   */
  constructor(
    paths: readonly string[],
    private readonly wireNames: (type: string) => ReadonlyMap<string, string> = () => new Map(),
  ) {
    this.text = paths.flatMap(declarationsIn).join('\n');
  }

  /** The members of a type and all that is below. @param at where the type stands: `[]` for a list of it */
  membersOf(type: string, at = ''): string[] {
    const members = at === '' ? [] : [`${at} object`];
    this.addBelow(type, at, { members, above: [] });
    return members;
  }

  private addBelow(type: string, at: string, { members, above }: Found): void {
    const renamed = this.wireNames(type);
    for (const { name, type: own, isOptional } of merged(this.blocksOf(type))) {
      const path = `${at}.${renamed.get(name) ?? name}`.replace(/^\./, '');
      this.add(own, { path, mark: isOptional ? '' : '!' }, { members, above: [...above, type] });
    }
  }

  private add(type: string, { path, mark }: { path: string; mark: string }, found: Found): void {
    const options = optionsOf(type).flatMap((each) => optionsOf(this.aliasOf(each) ?? each));
    const own = options.filter((each) => !/^(null|undefined|never)$/.test(each));
    const isSure = own.length === options.length && own.length > 0;
    found.members.push(
      `${path}${isSure ? mark : ''} ${[...new Set(own.map((each) => this.wordOf(each)))].join('|') || '?'}`,
    );
    for (const each of own) {
      const item = /^Array<(.*)>$/s.exec(each)?.[1] ?? /^(.*)\[\]$/s.exec(each)?.[1];
      const value = /^\{\s*\[\w+: string\]: (.*);\s*\}$/s.exec(each)?.[1];
      if (item !== undefined) this.add(item, { path: `${path}[]`, mark: '' }, found);
      else if (value !== undefined) this.add(value, { path: `${path}.*`, mark: '' }, found);
      else if (!found.above.includes(each)) this.addBelow(each, path, found);
    }
  }

  /** The word of the form for one of a member's types. */
  private wordOf(type: string): string {
    if (/^(Array<|.*\[\]$)/s.test(type)) return 'array';
    if (/^(true|false|boolean)$/.test(type)) return 'boolean';
    if (type === 'number') return 'integer|number';
    if (/^(string|Date|'.*')$/.test(type) || new RegExp(`\\benum ${type}\\b`).test(this.text)) return 'string';
    return type.startsWith('{') || this.blocksOf(type).length > 0 ? 'object' : '?';
  }

  /** What follows `type X =` where that is no object. */
  private aliasOf(name: string): string | undefined {
    if (/^Optional<(.*)>$/s.test(name)) return name.replace(/^Optional<(.*)>$/s, '$1 | null');
    return /^\w+$/.test(name)
      ? new RegExp(`\\btype ${name} = ([^{;]+);`).exec(this.text)?.[1]?.replace(/\s+/g, ' ')
      : undefined;
  }

  /** The members of each form that a type may have; of what it extends as well. */
  private blocksOf(name: string): Member[][] {
    if (!/^[A-Za-z]\w*$/.test(name)) return [];
    const start = new RegExp(
      `\\b(?:class|interface|type) ${name}(?:<[^>{]*>)?(?: extends (\\w+))?(?: = (?:(\\w+) & )?)? ?(?=\\{)`,
    ).exec(this.text);
    if (start === null) return [];
    const base = start[1] ?? start[2];
    const inherited = base === undefined ? [] : (this.blocksOf(base)[0] ?? []);
    const blocks: Member[][] = [];
    for (let from = start.index + start[0].length; this.text[from] === '{';) {
      const to = endOf(this.text, from);
      blocks.push([...inherited, ...membersIn(this.text.slice(from + 1, to))]);
      from = this.text.startsWith('} | {', to) ? to + '} | '.length : to;
    }
    return blocks;
  }
}

interface Found {
  readonly members: string[];
  /** Types that contain this one, so that none is followed into itself. */
  readonly above: readonly string[];
}

interface Member {
  /** `*`: any name. */
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
}

function declarationsIn(path: string): string[] {
  if (!statSync(path).isDirectory())
    return [
      readFileSync(path, 'utf8')
        .replace(/\/\*.*?\*\//gs, '')
        .replace(/\s*\n\s*/g, ' '),
    ];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.d.ts'))
    .toSorted()
    .flatMap((name) => declarationsIn(join(path, name)));
}

function endOf(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** At the outermost level. */
function split(text: string, by: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of text) {
    if ('{<(['.includes(letter)) depth += 1;
    if ('}>)]'.includes(letter)) depth -= 1;
    if (letter === by && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

const optionsOf = (type: string): string[] => split(type, '|');

/** Data only: neither methods nor what belongs to the class. */
function membersIn(block: string): Member[] {
  return split(block, ';').flatMap((text): Member[] => {
    const [, , name = '*', mark, type = ''] = /^(?:(['"]?)(\w+)\1|\[\w+: string\])(\??): (.+)$/s.exec(text) ?? [];
    return type === '' ? [] : [{ name, type, isOptional: mark === '?' || name === '*' }];
  });
}

/** What is required in every form, and the types of all. */
function merged(blocks: readonly (readonly Member[])[]): Member[] {
  const names = [...new Set(blocks.flat().map(({ name }) => name))];
  return names.map((name) => {
    const found = blocks.map((block) => block.find((each) => each.name === name));
    const type = [...new Set(found.flatMap((each) => (each === undefined ? [] : [each.type])))].join(' | ');
    return { name, type, isOptional: found.some((each) => each?.isOptional ?? true) };
  });
}
