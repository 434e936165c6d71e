import { ValidationError, type Issue } from '@sluice/errors';
import {
  depthMax,
  endOfString,
  isExactNumber,
  isLongString,
  limits,
  membersMax,
  nameFault,
  type JsonBounds,
} from '@sluice/types';
import { fieldPath } from './issue-sentence';
import { isBelowSecret } from './issues';
import { InboundError } from './problem-handler';

/**
 * Why a JSON text is refused: reads it again, slowly, to say where it breaks which rule. Accepted bodies never come here.
 * @returns InboundError `request.malformed-json`, with line and column; or ValidationError, with the path of each fault
 */
export function jsonRefusal(text: string, bounds: JsonBounds): InboundError | ValidationError {
  const faults = inspectJson(text, bounds);
  const broken = faults.find((fault) => fault.kind === 'syntax');
  if (broken) return notJson(text, broken);
  const onlyNumbers = faults.length > 0 && faults.every((fault) => fault.kind === 'number');
  const code = onlyNumbers ? 'write.number-not-exact' : 'request.invalid';
  const [first] = faults;
  const detail = first ? `${first.path} ${first.detail}.` : 'The body breaks a rule of JSON.';
  return new ValidationError({ code, detail, issues: faults.map(toIssue) });
}

function notJson(text: string, { at, detail }: JsonFault): InboundError {
  const before = text.slice(0, at).split('\n');
  const column = (before.at(-1) ?? '').length + 1;
  const sentence = `The body ${detail}: line ${before.length}, column ${column} (position ${at}).`;
  return new InboundError({ code: 'request.malformed-json', detail: sentence });
}

function toIssue({ path, detail, value }: JsonFault): Issue {
  return { in: 'body', name: path, detail, ...(value !== undefined && { value }) };
}

/** One reason to refuse a JSON text. `at` is an index into it. */
interface JsonFault {
  readonly kind: 'syntax' | 'depth' | 'bound' | 'number' | 'member';
  readonly at: number;
  readonly path: string;
  readonly detail: string;
  /** The number as it was written, or the size of what passes a bound; absent where it is a secret. */
  readonly value?: string;
}

const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;
/** What may not be inside a string: a raw control character, or a backslash that starts no escape. */
// oxlint-disable-next-line no-control-regex
const badInString = /[\0-\x1f]|\\(?!["\\/bfnrtu])|\\u(?![0-9a-fA-F]{4})/;

/** At most `limits.issuesMax` faults in the order of the text; a syntax error, too much depth or a passed bound is the last one. */
function inspectJson(text: string, bounds: JsonBounds): readonly JsonFault[] {
  const inspector = new Inspector(text, bounds);
  try {
    inspector.document();
  } catch (stop) {
    if (stop !== halt) throw stop;
  }
  return inspector.faults;
}

const halt = Symbol('halt');

class Inspector {
  readonly faults: JsonFault[] = [];
  private at = 0;
  private depth = 0;
  private readonly steps: (string | number)[] = [];

  private values = 0;

  constructor(
    private readonly text: string,
    private readonly bounds: JsonBounds,
  ) {}

  document(): void {
    this.value();
    this.take(space);
    if (this.at < this.text.length) this.stop('syntax', 'has something after its end');
  }

  private value(): void {
    this.take(space);
    const next = this.text[this.at];
    if (next === '{') this.inside('}', () => this.object());
    else if (next === '[') this.inside(']', () => this.list());
    else if (next === '"') this.textValue();
    else if (!this.number() && this.take(word) === '') this.stop('syntax', 'has no value where one is expected');
  }

  private inside(close: string, content: () => void): void {
    if (++this.depth > depthMax) this.stop('depth', `is nested deeper than ${depthMax} levels`);
    this.count();
    this.at += 1;
    this.take(space);
    if (!this.takeChar(close)) content();
    this.depth -= 1;
  }

  private object(): void {
    const names = new Set<string>();
    let count = 0;
    do {
      this.take(space);
      const start = this.at;
      if (this.text[start] !== '"') this.stop('syntax', 'has no quoted name where one is expected');
      const name = this.string();
      this.steps.push(name);
      this.member(name, start, names.has(name));
      names.add(name);
      if (++count > membersMax) this.stop('bound', `is member ${count}; an object has at most ${membersMax}`);
      this.take(space);
      if (!this.takeChar(':')) this.stop('syntax', 'has no colon after a name');
      this.value();
      this.steps.pop();
      this.take(space);
    } while (this.takeComma());
    if (!this.takeChar('}')) this.stop('syntax', 'has no comma or } where one is expected');
  }

  private member(name: string, at: number, isRepeated: boolean): void {
    const fault = isRepeated ? 'occurs twice in the same object' : nameFault(name);
    if (fault !== undefined) this.note('member', at, fault);
  }

  private list(): void {
    const { listItemsMax } = this.bounds;
    let index = 0;
    do {
      if (index === listItemsMax) {
        this.stop('bound', `must have at most ${listItemsMax} items`, `list of more than ${listItemsMax}`);
      }
      this.steps.push(index++);
      this.value();
      this.steps.pop();
      this.take(space);
    } while (this.takeComma());
    if (!this.takeChar(']')) this.stop('syntax', 'has no comma or ] where one is expected');
  }

  private textValue(): void {
    const start = this.at;
    if (!this.string().isWellFormed())
      this.note('member', start, 'is a text that is not valid Unicode (a lone surrogate)');
  }

  private string(): string {
    const end = endOfString(this.text, this.at);
    const { stringBytesMax } = this.bounds;
    if (isLongString(this.text, this.at, end, stringBytesMax)) {
      const bytes = Buffer.byteLength(this.text.slice(this.at + 1, end));
      this.stop('bound', `must have at most ${stringBytesMax} bytes`, `text of ${bytes} bytes`);
    }
    const content = this.text.slice(this.at + 1, end);
    const bad = content.search(badInString);
    if (bad !== -1) {
      this.at += 1 + bad;
      this.stop('syntax', 'has a control character or an unknown escape inside a string');
    }
    if (end === this.text.length) {
      this.at = end;
      this.stop('syntax', 'ends inside a string');
    }
    this.at = end + 1;
    return JSON.parse(`"${content}"`) as string;
  }

  private number(): boolean {
    const start = this.at;
    const literal = this.take(number);
    if (literal !== '' && !isExactNumber(literal)) {
      this.note('number', start, 'has more digits than a JSON number can carry exactly; send it as a string', literal);
    }
    return literal !== '';
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const taken = pattern.exec(this.text)?.[0] ?? '';
    this.at += taken.length;
    return taken;
  }

  private takeComma(): boolean {
    if (!this.takeChar(',')) return false;
    this.count();
    return true;
  }

  private count(): void {
    const { valuesMax } = this.bounds;
    if (++this.values <= valuesMax) return;
    this.steps.length = 0;
    this.stop('bound', `must hold at most ${valuesMax} values`, `more than ${valuesMax}`);
  }

  private takeChar(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  private note(kind: JsonFault['kind'], at: number, detail: string, value?: string): void {
    const path = fieldPath(this.steps);
    const isShown = value !== undefined && !isBelowSecret(this.steps);
    this.faults.push({ kind, at, path, detail, ...(isShown ? { value: value.slice(0, 60) } : {}) });
    if (this.faults.length === limits.issuesMax) throw halt;
  }

  private stop(kind: 'syntax' | 'depth' | 'bound', detail: string, value?: string): never {
    this.note(kind, this.at, detail, value);
    throw halt;
  }
}
