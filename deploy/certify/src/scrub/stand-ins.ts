/** What stands for what is the customer's: of the same kind, and the same for the same original. */
export interface StandIns {
  /** For a whole value. */
  readonly of: (original: string) => string;
  /** For the name of a member. */
  readonly ofName: (name: string) => string;
  /** For a whole number that has to stay one. */
  readonly ofNumber: (original: number) => number;
  /** The form of the original tells what it is, so that it is replaced as a whole wherever it stands. */
  readonly isDistinct: (original: string) => boolean;
}

type Make = (n: number, original: string) => string;

const digits = /^\d{4,}$/;
/** Salesforce ids. Source: docs/contributing/providers.md, B8. */
const salesforceId = /^(?=.*\d)[a-zA-Z0-9]{15}(?:[a-zA-Z0-9]{3})?$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const address = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const url = /^[a-z][a-z0-9+.-]*:\/\//i;
const phone = /^\+?(?=(?:\D*\d){7})[\d\s()./-]+$/;
/** Letters and digits of one word, with a prefix that may be a word: `lead_Nr98VzHY3NkC`. */
const code = /^(?:[a-z]+_)?(?=[A-Za-z]*\d)[A-Za-z0-9]{8,}$/;

/** Kinds that a connector may tell by their form; the first that fits. */
const kinds: readonly (readonly [form: RegExp, make: Make])[] = [
  [digits, (n, original) => `9${String(n).padStart(original.length - 1, '0')}`],
  [salesforceId, salesforceIdOf],
  [uuid, (n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`],
  [address, (n) => `person-${n}@example.com`],
  [url, (n) => `https://example.com/${n}`],
  [phone, (n) => `+1555${String(n).padStart(7, '0')}`],
  [code, (n, original) => `x${String(n).padStart(original.length - 1, '0')}`],
];

export function createStandIns(): StandIns {
  const known = new Map<string, string>();
  const names = new Map<string, string>();
  const kindOf = (original: string) => kinds.find(([form]) => form.test(original));
  const of = (original: string): string => {
    const make = kindOf(original)?.[1] ?? ((n: number) => `text-${n}`);
    return remember(known, original, (n) => make(n, original));
  };
  return {
    of,
    ofName: (name) => remember(names, name, (n) => `member_${n}`),
    ofNumber: (original) => (Math.abs(original) > 999 && Number.isSafeInteger(original) ? numberOf(of, original) : 0),
    isDistinct: (original) => kindOf(original) !== undefined,
  };
}

function numberOf(of: StandIns['of'], original: number): number {
  return Math.sign(original) * Number(of(String(Math.abs(original))));
}

function remember(known: Map<string, string>, original: string, make: (n: number) => string): string {
  const standIn = known.get(original) ?? make(known.size + 1);
  known.set(original, standIn);
  return standIn;
}

/** Keeps the key of a standard object, which says what the id is one of. */
function salesforceIdOf(n: number, original: string): string {
  const key = /^0[0-9A-Z]{2}/.exec(original)?.[0] ?? 'a00';
  const short = `${key}ak0${String(n).padStart(9, '0')}`;
  return original.length === 15 ? short : short + checksumOf(short);
}

/** The last three characters of an id of 18. Source: docs/contributing/providers.md, B8. */
function checksumOf(short: string): string {
  const bits = (block: string) =>
    block.split('').reduce((sum, char, at) => sum + (/[A-Z]/.test(char) ? 1 << at : 0), 0);
  return [0, 5, 10].map((at) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345'[bits(short.slice(at, at + 5))]).join('');
}
