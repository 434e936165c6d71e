import { objects, type WrittenObject } from './objects';

/** What happens to the first call of a write or a search, as the guide calls it. */
export const losses = [
  'applied, reply lost',
  'not applied, reply lost',
  'timeout, applied late',
  '500, applied',
  'a 503',
  '429 with Retry-After',
  '429 without',
] as const;
export type Loss = (typeof losses)[number];

/** What is asked for, and how the guide calls it. `collected`: three creates under one auto-batch, of which one meets the loss. */
export const kinds = {
  create: 'create, asynchronous',
  collected: 'create, auto-batched',
  'create now': 'create, synchronous',
  update: 'update, asynchronous',
  'update now': 'update, synchronous',
  'delete now': 'delete, synchronous',
  search: 'search',
} as const;
export type Kind = keyof typeof kinds;

/** One record, or several in one request. */
export type Form = 'single' | 'batch';

/** How it ends. */
export interface Ending {
  /** Of each record, as the operation reports it; of a search whether it was answered. */
  readonly outcome: 'succeeded' | 'failed' | 'unknown';
  /** Records at the provider that carry the write, per record written. A delete leaves none; nothing of a search. */
  readonly kept?: 0 | 1;
  /** Calls that carried it. */
  readonly sends: 1 | 2;
  /** What a caller who waits is answered. */
  readonly reply?: { readonly status: 429 | 502 | 504; readonly isRetryable: boolean };
  /** The caller's repeat is answered that there is no such record. @default it succeeds, where it may be repeated */
  readonly isRepeatNotFound?: true;
}

/** One row of the guide. */
export interface PromiseRow {
  readonly object: WrittenObject;
  readonly kind: Kind;
  /** It holds for each of them. */
  readonly forms: readonly Form[];
  readonly lookedUpBy: string;
  /** None where there is no lookup and nothing to wait for. */
  readonly windowSeconds?: number;
  readonly promise: string;
  readonly endings: Partial<Readonly<Record<Loss, Ending>>>;
}

const once: Ending = { outcome: 'succeeded', kept: 1, sends: 1 };
const repeated: Ending = { outcome: 'succeeded', kept: 1, sends: 2 };
const unknown = (kept: 0 | 1): Ending => ({ outcome: 'unknown', kept, sends: 1 });
const refused = (status: 429 | 502): Ending => ({
  outcome: 'failed',
  kept: 0,
  sends: 1,
  reply: { status, isRetryable: true },
});

/** Of creates that nobody waits for, by what a lookup sees. */
const creates: Readonly<Record<WrittenObject['lookup'], PromiseRow['endings']>> = {
  consistent: {
    'applied, reply lost': once,
    'not applied, reply lost': repeated,
    'timeout, applied late': once,
    '500, applied': once,
    'a 503': repeated,
    '429 with Retry-After': repeated,
    '429 without': repeated,
  },
  lagging: { 'applied, reply lost': once, 'not applied, reply lost': unknown(0), 'timeout, applied late': once },
  none: {
    'applied, reply lost': unknown(1),
    'not applied, reply lost': unknown(0),
    'timeout, applied late': unknown(1),
    '500, applied': unknown(1),
    'a 503': unknown(0),
    '429 with Retry-After': repeated,
    '429 without': repeated,
  },
};

/** Of writes whose caller waits: sent once, whatever comes. */
function endingsNow({ isUnique = false, provider }: WrittenObject, kind: Kind): PromiseRow['endings'] {
  const isRetryable = kind !== 'create now';
  const [done, undone] = kind === 'delete now' ? ([0, 1] as const) : ([1, 0] as const);
  const lost = (kept: 0 | 1, status: 502 | 504 = 502): Ending => ({ ...unknown(kept), reply: { status, isRetryable } });
  const isRepeatNotFound = kind === 'delete now' && provider === 'salesforce';
  return {
    'applied, reply lost': { ...lost(done), ...(isRepeatNotFound && { isRepeatNotFound }) },
    'not applied, reply lost': lost(undone),
    'timeout, applied late': lost(done, 504),
    '500, applied': lost(done),
    // Certainly not applied where a second send would be refused, or does no harm.
    'a 503': isRetryable || isUnique ? refused(502) : lost(0),
    '429 with Retry-After': refused(429),
    '429 without': refused(429),
  };
}

function endingsOf(object: WrittenObject, kind: Kind): PromiseRow['endings'] {
  if (kind === 'create' || kind === 'collected') return creates[object.lookup];
  if (kind === 'update') return Object.fromEntries(losses.map((loss) => [loss, repeated]));
  if (kind !== 'search') return endingsNow(object, kind);
  const unanswered = (status: 429 | 502 | 504): Ending => ({
    outcome: 'failed',
    sends: 1,
    reply: { status, isRetryable: true },
  });
  return {
    'applied, reply lost': unanswered(502),
    'timeout, applied late': unanswered(504),
    '500, applied': unanswered(502),
    'a 503': unanswered(502),
    '429 with Retry-After': unanswered(429),
    '429 without': unanswered(429),
  };
}

/** What is driven: of HubSpot and Salesforce what no suite of their connectors decides. */
function lossesOf({ file }: WrittenObject, kind: Kind): readonly Loss[] {
  if (kind === 'collected') return losses.slice(0, 2);
  if (file) return losses;
  return losses.slice(0, kind === 'create' ? 3 : 2);
}

const lookedUpLater = 'nothing, unless the gateway died: then as above, and never sent';
const atMostOnce = 'at most once; an unknown outcome is said';
const again = 'the caller repeats, same end state';
const promises: Readonly<
  Record<Exclude<Kind, 'create' | 'collected'>, readonly [lookedUpBy: string, promise: string]>
> = {
  'create now': [lookedUpLater, atMostOnce],
  update: ['nothing; the next write of the record waits out the late commit', 'repeated, same end state'],
  'update now': ['nothing', again],
  'delete now': ['nothing', again],
  search: ['nothing', 'the caller repeats: nothing is written'],
};

function rowOf(object: WrittenObject, kind: Kind): PromiseRow {
  const endings = endingsOf(object, kind);
  const driven = lossesOf(object, kind).flatMap((loss) => (endings[loss] ? [[loss, endings[loss]] as const] : []));
  const isBatchable = object.file === undefined && kind !== 'delete now';
  const row = {
    object,
    kind,
    forms: isBatchable ? (['single', 'batch'] as const) : (['single'] as const),
    endings: Object.fromEntries(driven),
  };
  if (kind !== 'create' && kind !== 'collected') {
    const [lookedUpBy, promise] = promises[kind];
    return { ...row, lookedUpBy, promise };
  }
  const promise = object.lookup === 'consistent' ? 'exactly once (but see rules 4 and 5)' : atMostOnce;
  return {
    ...row,
    lookedUpBy: object.key ?? 'nothing: it sends nothing that is unique there',
    windowSeconds: object.windowSeconds,
    promise: kind === 'collected' ? `each of its own: ${promise}` : promise,
  };
}

/** Every row of the guide, in its order. */
export const rows: readonly PromiseRow[] = objects.flatMap((object) => {
  const { file } = object;
  const own: readonly Kind[] = file
    ? ['create', 'collected', 'create now', 'update', 'update now', ...(file.search ? (['search'] as const) : [])]
    : ['create', 'create now', 'update', 'update now', 'delete now'];
  return own.map((kind) => rowOf(object, kind));
});
