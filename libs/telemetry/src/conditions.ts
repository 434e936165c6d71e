import type { Logger } from './logger';
import { heapShare } from './byte-budget';

/**
 * When something that a person must know begins and ends, by what is observed of it. The end needs more than the begin, so that what is
 * neither well nor broken is not logged again and again.
 */
export interface ConditionRule {
  /** Event of the line when it begins; its fields name the subject, the reason, how often it was observed, since when. */
  readonly begins: string;
  /** Event of the line when it ends, with the same fields and the seconds that it took. */
  readonly ends: string;
  /** It begins with so many bad observations among the last twenty, when they are more than the good ones. */
  readonly badMin: number;
  /** It ends, too, when nothing bad was observed for this long, in milliseconds: of somebody who writes no more nothing good comes. */
  readonly quietMs: number;
}

/** Whom it is about, as both lines name it. Names only: nothing that a record holds. */
type ConditionSubject = Readonly<Record<string, string>>;

/** What was observed, as the lines show it. */
interface BadObservation {
  /** In our words, or a code such as ECONNRESET. A provider's own words may quote a customer. */
  readonly reason: string;
  /** Fields besides, such as a status. */
  readonly facts?: Readonly<Record<string, string | number>>;
  /** It is known to last so long, in milliseconds; it does not end before. @default 0 */
  readonly lastsMs?: number;
}

/** Logs one line when a subject turns bad and one when it is over, however many records and operations meet it. */
interface Condition {
  bad(subject: ConditionSubject, observation: BadObservation): void;
  good(subject: ConditionSubject): void;
}

interface ConditionsOptions {
  readonly logger: Logger;
  /** Monotonic milliseconds. @default performance.now */
  readonly now?: () => number;
  /** Characters of subjects and reasons that are kept. @default a 512th of the heap: 2,000 subjects of the usual size in a process of 256 MiB */
  readonly charactersMax?: number;
}

interface Watched {
  readonly subject: ConditionSubject;
  /** The last observations, the newest in the lowest bit; 1 is bad. */
  history: number;
  observed: number;
  /** Bad observations since the first of these. */
  count: number;
  last: BadObservation;
  readonly firstAtMs: number;
  readonly since: string;
  /** Without another bad one it is over then. */
  quietAtMs: number;
  isActive: boolean;
}

/** Observations that are compared. */
const windowSize = 20;
const windowMask = 2 ** windowSize - 1;
/** A condition ends with at most one bad observation among the last twenty. */
const badLeftMax = 1;
const sweepEveryMs = 5_000;
const reasonCharactersMax = 200;
/** What a subject takes beside its names and its reason. */
const ownCharacters = 150;

/**
 * What lasts, in this process alone: several replicas may each log it once. Only subjects with a recent bad observation are kept, in bounded memory; when
 * there are too many, the oldest is forgotten, with the line of its end if its begin was logged.
 */
export function createConditions({
  logger,
  now = () => performance.now(),
  charactersMax = heapShare(512),
}: ConditionsOptions) {
  return (rule: ConditionRule): Condition => {
    const watched = new Map<string, Watched>();
    let characters = 0;
    let timer: NodeJS.Timeout | undefined;

    const end = (key: string, one: Watched, how: 'observed' | 'quiet' | 'forgotten'): void => {
      watched.delete(key);
      characters -= sizeOf(key);
      if (!one.isActive) return;
      const seconds = Math.round((now() - one.firstAtMs) / 1_000);
      logger.warn({ ...fieldsOf(one), seconds, ended: how }, rule.ends);
    };
    const sweep = (): void => {
      for (const [key, one] of watched) if (now() >= one.quietAtMs) end(key, one, 'quiet');
      timer = watched.size === 0 ? undefined : setTimeout(sweep, sweepEveryMs).unref();
    };
    const watch = (key: string, subject: ConditionSubject, last: BadObservation): Watched => {
      const since = new Date().toISOString();
      const basis = { history: 0, observed: 0, count: 0, quietAtMs: 0, isActive: false };
      const fresh = { ...basis, subject, last, since, firstAtMs: now() };
      watched.set(key, fresh);
      characters += sizeOf(key);
      for (const [oldest, one] of watched) {
        if (characters <= charactersMax || oldest === key) break;
        end(oldest, one, 'forgotten');
      }
      timer ??= setTimeout(sweep, sweepEveryMs).unref();
      return fresh;
    };
    return {
      bad: (subject, observation) => {
        const key = keyOf(subject);
        const one = watched.get(key) ?? watch(key, subject, observation);
        observe(one, 1);
        one.count += 1;
        one.last = observation;
        one.quietAtMs = Math.max(one.quietAtMs, now() + (observation.lastsMs ?? 0) + rule.quietMs);
        const bad = badIn(one);
        if (one.isActive || bad < rule.badMin || 2 * bad <= one.observed) return;
        one.isActive = true;
        logger.warn(fieldsOf(one), rule.begins);
      },
      good: (subject) => {
        // Of most subjects nothing bad is known, and nothing is kept.
        if (watched.size === 0) return;
        const key = keyOf(subject);
        const one = watched.get(key);
        if (one === undefined) return;
        observe(one, 0);
        const bad = badIn(one);
        const isOver = one.isActive ? one.observed === windowSize && bad <= badLeftMax : bad === 0;
        if (isOver) end(key, one, 'observed');
      },
    };
  };
}

function observe(one: Watched, bit: 0 | 1): void {
  one.history = ((one.history << 1) | bit) & windowMask;
  one.observed = Math.min(windowSize, one.observed + 1);
}

function badIn({ history }: Watched): number {
  let bad = 0;
  for (let bits = history; bits > 0; bits >>>= 1) bad += bits & 1;
  return bad;
}

function fieldsOf({ subject, last, count, since }: Watched): object {
  return { ...subject, reason: last.reason.slice(0, reasonCharactersMax), ...last.facts, count, since };
}

/** JSON, because refs may hold any separator. */
const keyOf = (subject: ConditionSubject): string => JSON.stringify(Object.values(subject));

/** The key repeats the subject. */
const sizeOf = (key: string): number => 2 * key.length + reasonCharactersMax + ownCharacters;
