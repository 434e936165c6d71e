import { allRead, type RecordResult } from '@sluice/connectors';
import type { Finding } from './finding';
import { find, poll, visibleWithinMs } from './read-back';
import { at, byMark, callOf, type MarkedRecord, type Trial } from './trial';

/** What became of the records of a run. */
export interface CleanUp {
  readonly findings: readonly Finding[];
  /** Marks or ids of what is left, or may be; empty: proven that nothing is, unless something stays. */
  readonly left: readonly string[];
  /** Ids, or marks, of what cannot be deleted through Sluice. */
  readonly stays: readonly string[];
}

/** How often a deletion is tried that fails for a reason that may pass. [own] */
const triesMax = 4;
/** Between two of them, in milliseconds, unless the provider states a wait. [own] */
const usualMs = 1_000;

/**
 * Deletes every record that a run made or may have made, and proves that none is left: by id, by the unique field and by the mark.
 * Works from the marks alone, so it also ends what another process began.
 */
export async function cleanUp(trial: Trial): Promise<CleanUp> {
  if (!trial.connector.delete) return await notDeletable(trial);
  await untilVisible(trial);
  const failed: string[] = [];
  const refused: string[] = [];
  let deleted = 0;
  for (const same of byMark(trial.records)) {
    const its = at(trial, same[0]);
    const ids = await idsOf(its, same);
    refused.push(...writtenThough(same, ids));
    for (const id of ids) {
      const result = await remove(its, id);
      if (result.ok || result.error.class === 'not-found') deleted += 1;
      else failed.push(`${same[0].mark} (${id}): ${result.error.message}`);
    }
  }
  const left = await whatIsLeft(trial);
  return {
    left,
    stays: [],
    findings: [
      refusals(trial, refused),
      { ...deletion, ...(failed.length > 0 ? differing(failed) : seenAs(`${deleted} records`, deleted > 0)) },
      { ...emptiness, ...(left.length > 0 ? differing(left) : seenAs(proofOf(trial), true)) },
    ],
  };
}

const deletion = { capability: 'delete', claimed: 'each record, by its id' };
/** The row that shows whether a run left anything. */
export const emptiness = { capability: 'nothing is left', claimed: 'no mark is found, by no way' };

const refusal = { capability: 'what was refused', claimed: 'was not written' };

/** Records that the provider reported as not created and that exist all the same, under ids that it never returned. */
function writtenThough(same: SameMark, ids: readonly string[]): string[] {
  if (same.some(isInDoubt)) return [];
  const known = knownIds(same);
  return ids.filter((id) => !known.includes(id)).map((id) => `${same[0].mark} is there, as ${id}`);
}

function refusals({ records }: Trial, written: readonly string[]): Finding {
  const count = records.filter(({ isRefused }) => isRefused === true).length;
  return {
    ...refusal,
    ...(written.length > 0 ? differing(written) : seenAs(`${count} refused, none written`, count > 0)),
  };
}

type Seen = Pick<Finding, 'seen' | 'verdict'>;
const differing = (wrong: readonly string[]): Seen => ({ seen: wrong.join('; '), verdict: 'differs' });
const seenAs = (seen: string, isTried: boolean): Seen => ({ seen, verdict: isTried ? 'ok' : 'not tried' });

/** A create without a reply is waited for at most so long, in milliseconds; later it is for the next run. [own] */
const waitMaxMs = 60_000;

/** When every create with an unknown outcome has either happened or never will, and every lookup shows which. */
function visibleFrom(trial: Trial): number {
  const { lateCommitMs } = trial.connector.capabilities;
  const doubted = trial.records.filter(isInDoubt);
  return Math.max(0, ...doubted.map((record) => record.sentAt.getTime() + lateCommitMs + lagMs(at(trial, record))));
}

function lagMs({ connector, subject, run }: Trial): number {
  const isConsistent = subject.uniqueField !== undefined && connector.readBatch !== undefined;
  return isConsistent ? 0 : connector.visibilityMs(subject.objectName, { [subject.markField]: run });
}

const isInDoubt = ({ id, isRefused }: MarkedRecord): boolean => id === undefined && isRefused !== true;

async function untilVisible(trial: Trial): Promise<void> {
  const waitMs = visibleFrom(trial) - trial.clock.nowMs();
  if (waitMs > 0 && waitMs <= waitMaxMs) await trial.clock.wait(waitMs);
}

/** The known ids of a mark, and whatever else carries it. */
async function idsOf(trial: Trial, [record, ...again]: SameMark): Promise<string[]> {
  const found = new Set([...(await byUniqueField(trial, record)), ...(await bySearch(trial, record))]);
  return [...new Set([...knownIds([record, ...again]), ...found])];
}

type SameMark = ReturnType<typeof byMark>[number];

const knownIds = (same: SameMark): string[] => same.flatMap(({ id }) => (id === undefined ? [] : [id]));

async function remove(trial: Trial, recordId: string): Promise<RecordResult> {
  for (let tries = 1; ; tries += 1) {
    const result = await (trial.connector.delete?.({ ...callOf(trial), recordId }) ?? notOffered);
    if (result.ok || tries === triesMax || !mayPass(result.error.class)) return result;
    await trial.clock.wait(Math.max(usualMs, result.error.retryAfterMs ?? 0));
  }
}

const notOffered: RecordResult = { ok: false, error: { class: 'rejected', scope: 'record', message: 'not offered' } };

const mayPass = (failure: string): boolean => ['quota', 'unavailable', 'timeout', 'unknown'].includes(failure);

/** What any way of looking still shows, once the index can have caught up. */
async function whatIsLeft(trial: Trial): Promise<string[]> {
  // What may still be made cannot be proven to be gone.
  const left = visibleFrom(trial) > trial.clock.nowMs() ? trial.records.filter(isInDoubt).map(({ mark }) => mark) : [];
  for (const same of byMark(trial.records)) {
    const its = at(trial, same[0]);
    const boundMs = visibleWithinMs(its);
    const isGone = async () => !(await isThere(its, same));
    if (!(await poll(isGone, { ...trial, boundMs }))) left.push(knownIds(same).join(', ') || same[0].mark);
  }
  return left;
}

async function isThere(trial: Trial, same: SameMark): Promise<boolean> {
  const [record] = same;
  if ((await byUniqueField(trial, record)).length > 0) return true;
  for (const id of knownIds(same)) if (await byId(trial, id)) return true;
  return (await bySearch(trial, record)).length > 0;
}

async function byId(trial: Trial, id: string): Promise<boolean> {
  const fields = [trial.subject.markField];
  const records = await trial.connector.readBatch?.({ ...callOf(trial), ids: [id], fields });
  return allRead(records ?? [])[0] !== undefined;
}

/** Reads the store and no index, where the provider can: what it does not show is not there. */
async function byUniqueField(trial: Trial, { fields }: MarkedRecord): Promise<string[]> {
  const { uniqueField: name, markField } = trial.subject;
  if (name === undefined) return [];
  const byProperty = { name, values: [String(fields[name])] };
  const records = await trial.connector.readBatch?.({ ...callOf(trial), byProperty, fields: [markField] });
  return allRead(records ?? []).flatMap((record) => record?.id ?? []);
}

async function bySearch(trial: Trial, { mark }: MarkedRecord): Promise<string[]> {
  return trial.connector.search ? (await find(trial, mark)).map(({ id }) => id) : [];
}

function proofOf({ connector, subject, records }: Trial): string {
  const subjects = [...new Set([subject, ...records.map((record) => record.subject)])];
  const ways = [
    ...(connector.readBatch ? ['id'] : []),
    ...(connector.readBatch ? subjects.flatMap(({ uniqueField }) => uniqueField ?? []) : []),
    ...(connector.search ? subjects.map(({ markField }) => markField) : []),
  ];
  return `${byMark(records).length} marks, looked for by ${[...new Set(ways)].join(', ')}`;
}

/** The records stay, as the caller accepted with `--leave`; the report lists them. */
async function notDeletable(trial: Trial): Promise<CleanUp> {
  await untilVisible(trial);
  const stays = new Set<string>();
  const refused: string[] = [];
  for (const same of byMark(trial.records)) {
    const isSure = same.every(({ id }) => id !== undefined);
    const ids = [...new Set([...knownIds(same), ...(isSure ? [] : await bySearch(at(trial, same[0]), same[0]))])];
    refused.push(...writtenThough(same, ids));
    const listed = ids.length === 0 && same.some(isInDoubt) && !trial.connector.search ? [same[0].mark] : ids;
    for (const each of listed) stays.add(each);
  }
  const seen = `delete by hand: ${[...stays].join(', ') || 'nothing'}`;
  return {
    left: [],
    stays: [...stays],
    findings: [
      ...(trial.connector.search ? [refusals(trial, refused)] : []),
      { capability: 'delete', claimed: 'not offered', seen, verdict: 'not tried' },
    ],
  };
}
