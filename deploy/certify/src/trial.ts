import { setTimeout as delay } from 'node:timers/promises';
import type { Auth, Connector, Fields, RecordResult } from '@sluice/connectors';
import { NotTried } from './finding';
import type { Subject } from './subjects';

/** What a certification knows of time: a replay has a clock of its own, on which waiting takes none. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** @throws the signal's reason when it is aborted meanwhile */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export const machineClock: Clock = {
  nowMs: () => Date.now(),
  wait: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
};

/** Begins now, and is put forward by what is waited. */
export function createReplayClock(): Clock {
  let aheadMs = 0;
  return {
    nowMs: () => Date.now() + aheadMs,
    wait: (ms) => {
      aheadMs += ms;
      return Promise.resolve();
    },
  };
}

/** A record that this run makes, or tries to. */
export interface MarkedRecord {
  readonly mark: string;
  /** Its fields and its object. */
  readonly subject: Subject;
  readonly fields: Fields;
  readonly sentAt: Date;
  /** Absent: refused, or nobody knows. */
  id?: string;
  /** The provider reported that it was not created. */
  isRefused?: boolean;
}

/** One certification under way. */
export interface Trial {
  readonly connector: Connector;
  readonly auth: Auth;
  readonly subject: Subject;
  /** Names the run; the mark of each record begins with it. */
  readonly run: string;
  readonly startedAt: Date;
  /** What was made or may have been made, in order. */
  readonly records: MarkedRecord[];
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** What a person is shown whole below the report: title and items. No part of a recording. */
  readonly shown: Map<string, readonly string[]>;
  /** Called after each change of `records`, before anything is sent that could make one more. */
  readonly save: () => void;
}

/** Members that every call of a trial takes. */
export function callOf({ auth, subject, signal }: Trial) {
  return { auth, objectName: subject.objectName, ...(signal && { signal }) };
}

/** The same trial for the object of one of its records. */
export function at(trial: Trial, { subject }: MarkedRecord): Trial {
  return { ...trial, subject };
}

/** Notes a record before it is sent, so that whatever happens next it can be found by its mark. */
export function announce(trial: Trial, subject = trial.subject): MarkedRecord {
  const mark = `${trial.run}-${byMark(trial.records).length + 1}`;
  return add(trial, { mark, subject, fields: subject.fields(mark) });
}

/** The same of a record that is sent once more as it is: a provider that takes it has two of one mark. */
export function announceAgain(trial: Trial, { mark, subject, fields }: MarkedRecord): MarkedRecord {
  return add(trial, { mark, subject, fields });
}

/** Forgets a record of an object that the token may not write: it was not made, and the token may not search for it either. */
export function withdraw(trial: Trial, record: MarkedRecord): void {
  trial.records.splice(trial.records.indexOf(record), 1);
  trial.save();
}

function add(trial: Trial, marked: Pick<MarkedRecord, 'mark' | 'subject' | 'fields'>): MarkedRecord {
  const record: MarkedRecord = { ...marked, sentAt: new Date(trial.clock.nowMs()) };
  trial.records.push(record);
  trial.save();
  return record;
}

/** One entry per mark, in their order, with every record that was sent under it: at least one. */
export function byMark(records: readonly MarkedRecord[]): (readonly [MarkedRecord, ...MarkedRecord[]])[] {
  const marks = [...new Set(records.map(({ mark }) => mark))];
  return marks.map((mark) => records.filter((record) => record.mark === mark) as [MarkedRecord, ...MarkedRecord[]]);
}

/** Notes what became of a record. @returns the same */
export function noted<Result extends RecordResult | undefined>(
  trial: Trial,
  record: MarkedRecord,
  result: Result,
): Result {
  if (result?.ok) record.id = result.recordId;
  else record.isRefused = result !== undefined && !inDoubt.includes(result.error.class);
  trial.save();
  return result;
}

/** Failures after which the record may have been made. */
const inDoubt: readonly string[] = ['unknown', 'timeout'];

/** @throws NotTried where the form of the provider's ids is unknown */
export function absentIdOf({ subject: { absentId } }: Trial): string {
  if (absentId === undefined) throw new NotTried('an id of no record is not known: --absent-id');
  return absentId;
}

/** One row of the capability report: what we say, and how the account is asked. */
export interface Check {
  readonly capability: string;
  /** What our table claims; undefined: the provider lacks it, and nothing is requested. */
  readonly claimed: (connector: Connector, trial: Trial) => string | undefined;
  /**
   * Asks the account. @returns what was seen, when it is as we say
   * @throws Differs, NotTried, ProviderError
   */
  readonly run: (trial: Trial) => Promise<string>;
}
