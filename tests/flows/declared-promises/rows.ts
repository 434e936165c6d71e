import type { Declaration } from '@sluice/connectors';
import { samples, type Sample } from './samples';

/** What happens to the first call of a write or a search. */
export const losses = ['applied', 'not applied', 'applied late', '500', '503', '429', '429, no wait'] as const;
export type Loss = (typeof losses)[number];

/** How it ends. */
export interface Ending {
  /** Of the record, as the operation reports it; of a search whether it was answered. */
  readonly outcome: 'succeeded' | 'failed' | 'unknown';
  /** Records at the provider that carry the write, when it has ended. Nothing of a search. */
  readonly kept?: 0 | 1;
  /** Calls that carried it. */
  readonly sends: 1 | 2;
  /** What a caller who waits is answered. */
  readonly reply?: { readonly status: 429 | 502 | 504; readonly isRetryable: boolean };
}

/** An object of a file, with the kind of record that is written to it. */
export interface WrittenObject {
  readonly file: Declaration;
  /** As it stands in the guide. */
  readonly name: string;
  readonly objectName: string;
  readonly sample: Sample;
  /** The field that no two records share; absent where there is none, or the record does not set it. */
  readonly unique?: string;
}

/** `collected`: three creates under one auto-batch, a call each, of which one meets the loss. */
export type Kind = 'create' | 'collected' | 'create now' | 'update' | 'update now' | 'search';

/** One row of the guide. */
export interface PromiseRow {
  readonly object: WrittenObject;
  readonly kind: Kind;
  readonly lookedUpBy: string;
  /** From the last send to the moment at which "not written" or "unknown" may be said, in seconds. */
  readonly windowSeconds?: number;
  readonly promise: string;
  readonly endings: Partial<Readonly<Record<Loss, Ending>>>;
}

/** What a file's objects are written as: one with a unique field with it and without. */
export function objectsOf(file: Declaration): WrittenObject[] {
  return Object.entries(file.objects).flatMap(([key, { unique }]): WrittenObject[] => {
    const sampleOf = (name: string): Sample => {
      const sample = samples[file.name]?.[name];
      if (sample === undefined) throw new Error(`${file.name}: samples.ts has no record of ${name}`);
      return sample;
    };
    const of = (name: string, sample: Sample) => ({ file, name, objectName: sample.objectName ?? key, sample });
    // Without a search nothing can be looked up.
    if (unique === undefined || file.search === undefined) return [of(key === '*' ? 'any other' : key, sampleOf(key))];
    return [
      { ...of(`${key} with \`${unique}\``, sampleOf(`${key}+`)), unique },
      of(`${key} without \`${unique}\``, sampleOf(key)),
    ];
  });
}

/** The lease, and the longer of the call's timeout and the late commit; such lookups see all that is committed. */
function windowOf({ file }: WrittenObject): number {
  return 6 + Math.max(30, (file.lateCommitMs ?? 30_000) / 1_000);
}

const once = { outcome: 'succeeded', kept: 1, sends: 1 } as const;
const repeated = { outcome: 'succeeded', kept: 1, sends: 2 } as const;
const unknown = (kept: 0 | 1) => ({ outcome: 'unknown', kept, sends: 1 }) as const;
const refused = (reply: Ending['reply']) => ({ outcome: 'failed', kept: 0, sends: 1, reply }) as const;
const statusReply = (status: 429 | 502 | 504, isRetryable: boolean) => ({ status, isRetryable }) as const;

const waits = { '429': repeated, '429, no wait': repeated } as const;
const waitsNow = { '429': refused(statusReply(429, true)), '429, no wait': refused(statusReply(429, true)) } as const;

const found: PromiseRow['endings'] = {
  applied: once,
  'not applied': repeated,
  'applied late': once,
  '500': once,
  '503': repeated,
  ...waits,
};
const invisible: PromiseRow['endings'] = {
  applied: unknown(1),
  'not applied': unknown(0),
  'applied late': unknown(1),
  '500': unknown(1),
  '503': unknown(0),
  ...waits,
};

function create(object: WrittenObject): PromiseRow {
  const isFound = object.unique !== undefined;
  return {
    object,
    kind: 'create',
    lookedUpBy: isFound ? `search by \`${object.unique}\`` : 'nothing: it sends nothing that is unique there',
    windowSeconds: windowOf(object),
    promise: isFound ? 'exactly once (but see rules 4 and 5)' : 'at most once; an unknown outcome is said',
    endings: isFound ? found : invisible,
  };
}

function collected(object: WrittenObject): PromiseRow {
  const { lookedUpBy, windowSeconds, promise, endings } = create(object);
  const { applied, 'not applied': notApplied } = endings;
  return {
    object,
    kind: 'collected',
    lookedUpBy,
    ...(windowSeconds !== undefined && { windowSeconds }),
    promise: `each of its own: ${promise}`,
    endings: { ...(applied && { applied }), ...(notApplied && { 'not applied': notApplied }) },
  };
}

function createNow(object: WrittenObject): PromiseRow {
  const isFound = object.unique !== undefined;
  const lost = (kept: 0 | 1, status: 502 | 504 = 502) => ({ ...unknown(kept), reply: statusReply(status, false) });
  return {
    object,
    kind: 'create now',
    lookedUpBy: 'nothing, unless the gateway died: then as above, and never sent',
    promise: 'at most once; an unknown outcome is said',
    endings: {
      applied: lost(1),
      'not applied': lost(0),
      'applied late': lost(1, 504),
      '500': lost(1),
      '503': isFound ? refused(statusReply(502, true)) : lost(0),
      ...waitsNow,
    },
  };
}

function update(object: WrittenObject): PromiseRow {
  return {
    object,
    kind: 'update',
    lookedUpBy: 'nothing; the next write of the record waits out the late commit',
    promise: 'repeated, same end state',
    endings: {
      applied: repeated,
      'not applied': repeated,
      'applied late': repeated,
      '500': repeated,
      '503': repeated,
      ...waits,
    },
  };
}

function updateNow(object: WrittenObject): PromiseRow {
  const lost = (kept: 0 | 1, status: 502 | 504 = 502) => ({ ...unknown(kept), reply: statusReply(status, true) });
  return {
    object,
    kind: 'update now',
    lookedUpBy: 'nothing',
    promise: 'the caller repeats, same end state',
    endings: {
      applied: lost(1),
      'not applied': lost(0),
      'applied late': lost(1, 504),
      '500': lost(1),
      '503': refused(statusReply(502, true)),
      ...waitsNow,
    },
  };
}

function search(object: WrittenObject): PromiseRow {
  const lost = (status: 429 | 502 | 504) =>
    ({ outcome: 'failed', sends: 1, reply: statusReply(status, true) }) as const;
  return {
    object,
    kind: 'search',
    lookedUpBy: 'nothing',
    promise: 'the caller repeats: nothing is written',
    endings: {
      applied: lost(502),
      'applied late': lost(504),
      '500': lost(502),
      '503': lost(502),
      '429': lost(429),
      '429, no wait': lost(429),
    },
  };
}

/** The rows of a provider that is a file, all of them from the file. */
export function rowsOf(file: Declaration): PromiseRow[] {
  return objectsOf(file).flatMap((object) => [
    create(object),
    collected(object),
    createNow(object),
    update(object),
    updateNow(object),
    ...(file.search === undefined ? [] : [search(object)]),
  ]);
}
