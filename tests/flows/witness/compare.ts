import type { Exchange } from './recorder';

/** What an independent source says of a provider's calls. */
export interface Witness {
  readonly source: string;
  readonly readOn: string;
  readonly calls: readonly WitnessedCall[];
  /** Replies that are no success, of every call that does not state its own. */
  readonly error?: readonly string[];
}

interface WitnessedCall {
  readonly method: string;
  /** With `{names}` for what varies. */
  readonly paths: readonly string[];
  /** Members as `name! type`: see `form` in the file. */
  readonly request?: readonly string[];
  /** By status, or `error`: every other that is no success. */
  readonly replies: Readonly<Record<string, readonly string[] | undefined>>;
}

/** Where exchanges say what the witness does not, each once, as `POST /crm/… 201: archived is text, boolean there`. */
export function differences(
  { calls, error }: Pick<Witness, 'calls' | 'error'>,
  exchanges: readonly Exchange[],
): string[] {
  const found = exchanges.flatMap((exchange) => {
    const call = calls.find(
      (each) => each.method === exchange.method && each.paths.some((path) => isPath(path, exchange)),
    );
    if (call === undefined) return [`${exchange.method} ${exchange.path.replace(/\d{3,}/g, '{id}')}: no witness`];
    const name = `${call.method} ${call.paths[0]}`;
    const isSuccess = exchange.status >= 200 && exchange.status < 300;
    const reply = call.replies[exchange.status] ?? (isSuccess ? undefined : (call.replies['error'] ?? error));
    return [
      ...(isSuccess && exchange.request !== undefined
        ? compare(call.request ?? [], exchange.request).map((text) => `${name} request: ${text}`)
        : []),
      ...(reply === undefined && isSuccess ? [`${name}: no witness of ${exchange.status}`] : []),
      ...compare(reply ?? ['* ?'], exchange.reply).map((text) => `${name} ${exchange.status}: ${text}`),
    ];
  });
  return [...new Set(found)].toSorted();
}

function isPath(form: string, { path }: Exchange): boolean {
  const steps = path.split('/');
  const parts = form.split('/');
  return parts.length === steps.length && parts.every((part, at) => part.startsWith('{') || part === steps[at]);
}

interface Member {
  readonly types: readonly string[];
  readonly isRequired: boolean;
}

function compare(stated: readonly string[], body: unknown): string[] {
  const members = new Map(
    stated.map((text): [string, Member] => {
      const [, name = '', mark, types = ''] = /^(.+?)(!?) (\S+)$/.exec(text) ?? [];
      return [name, { types: types.split('|'), isRequired: mark === '!' }];
    }),
  );
  return inside(members, '', body);
}

/** What lies below a place of a body. */
function inside(members: ReadonlyMap<string, Member>, at: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => shown(members, `${at}[]`, item));
  if (typeof value !== 'object' || value === null) return [];
  const below = at === '' ? '' : `${at}.`;
  const missing = [...members]
    .filter(
      ([name, { isRequired }]) =>
        isRequired && parentOf(name) === at && !Object.hasOwn(value, name.slice(below.length)),
    )
    .map(([name]) => `${name} is missing`);
  return [
    ...missing,
    ...Object.entries(value).flatMap(([name, each]) => shown(members, `${below}${name}`, each, `${below}*`)),
  ];
}

function parentOf(name: string): string {
  return name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : '';
}

function shown(members: ReadonlyMap<string, Member>, at: string, value: unknown, other?: string): string[] {
  const place = members.has(at) ? at : other !== undefined && members.has(other) ? other : undefined;
  if (place === undefined) return [`${at} has no witness`];
  const { types } = members.get(place) as Member;
  if (types.includes('?') || value === null) return [];
  const type = typeOf(value);
  if (!types.includes(type)) return [`${place} is ${type}, ${types.join(' or ')} there`];
  return inside(members, place, value);
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
