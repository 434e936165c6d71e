import { setTimeout as delay } from 'node:timers/promises';
import { allRead, type RecordResult } from '@sluice/connectors';
import type { WrittenObject } from '@sluice/connectors/conformance';
import { ProviderError } from '@sluice/errors';
import { type Account, findMarked, visibleWithinMs } from './account-harness';
import { blockOf, type Finding } from './finding';
import { isInDoubt, type MarkedRecord } from './journal';
import { objectOf, patientConnector } from './watched-connector';

/** What became of the records of a run. */
export interface CleanUp {
  readonly findings: readonly Finding[];
  /** Marks or ids of what is left, or may be; empty: proven that nothing is, unless something stays. */
  readonly left: readonly string[];
  /** Ids, or marks, of what cannot be deleted through Sluice. */
  readonly stays: readonly string[];
}

/** The records of one mark: more than one where the same was created twice. */
interface Marked {
  readonly mark: string;
  readonly object: WrittenObject;
  readonly records: readonly MarkedRecord[];
}

const idsOf = ({ records }: Marked): string[] => records.flatMap(({ id }) => id ?? []);

/**
 * Deletes every record that a run made or may have made, and proves that none is left. Works from the marks alone, so it also ends what
 * another process began. Does not throw for a provider's failure: what is not proven to be gone is left.
 */
export async function cleanUp(opened: Account, records: readonly MarkedRecord[]): Promise<CleanUp> {
  const account = { ...opened, connector: patientConnector(opened.connector) };
  try {
    return await removeAll(account, marksOf(account, records));
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const block = blockOf(error.class);
    const detail = `not proven: ${error.class}: ${error.detail}`;
    const made = records.filter(({ isRefused }) => isRefused !== true).map(({ id, mark }) => id ?? mark);
    const [left, stays] = account.connector.delete ? [[...new Set(made)], []] : [[], [...new Set(made)]];
    return { left, stays, findings: [{ ...emptiness, verdict: 'differs', detail, ...(block && { block }) }] };
  }
}

const refusal = { name: 'cleanup: what was refused was not written' };
const deletion = { name: 'cleanup: each record is deleted by its id' };
const emptiness = { name: 'cleanup: no mark is found any more' };

function findingOf(of: Pick<Finding, 'name'>, wrong: readonly string[]): Finding {
  return wrong.length === 0 ? { ...of, verdict: 'ok' } : { ...of, verdict: 'differs', detail: wrong.join('; ') };
}

/** A run of another version, or with another `--object`, may have written an object that has no fixture: it is looked for by the same field. */
function marksOf({ fixture }: Account, records: readonly MarkedRecord[]): Marked[] {
  return [...Map.groupBy(records, ({ mark }) => mark)].map(([mark, same]) => {
    const objectName = same[0]?.objectName ?? fixture.objectName;
    return { mark, object: objectOf(fixture, objectName) ?? { ...fixture, objectName }, records: same };
  });
}

/** Where records cannot be deleted through Sluice they stay, as the caller accepted with `--leave`; the report lists them. */
async function removeAll(account: Account, marks: readonly Marked[]): Promise<CleanUp> {
  const { connector } = account;
  await untilVisible(account, marks);
  const [written, failed, stays]: [string[], string[], string[]] = [[], [], []];
  for (const marked of marks) {
    const found = await foundIds(account, marked);
    written.push(...writtenThough(marked, found));
    const ids = [...new Set([...idsOf(marked), ...found])];
    if (!connector.delete) stays.push(...(ids.length === 0 && marked.records.some(isInDoubt) ? [marked.mark] : ids));
    for (const id of connector.delete ? ids : []) {
      const result = await remove(account, marked.object, id);
      if (!result.ok && result.error.class !== 'not-found') failed.push(`${id}: ${result.error.message}`);
    }
  }
  const refusals = connector.search ? [findingOf(refusal, written)] : [];
  if (!connector.delete) return { left: [], stays, findings: refusals };
  const left = await whatIsLeft(account, marks);
  return { left, stays, findings: [...refusals, findingOf(deletion, failed), findingOf(emptiness, left)] };
}

const foundIds = async (account: Account, { object, mark }: Marked): Promise<string[]> =>
  (await findMarked(account, object, { mark })).map(({ id }) => id);

/** Records that the provider reported as not created and that exist all the same, under ids that it never returned. */
function writtenThough(marked: Marked, found: readonly string[]): string[] {
  if (marked.records.some(isInDoubt)) return [];
  return found.filter((id) => !idsOf(marked).includes(id)).map((id) => `${marked.mark} is there, as ${id}`);
}

/** A create without a reply is waited for at most so long, in milliseconds; later it is for the next run. [own] */
const waitMaxMs = 60_000;

/** When every create of unknown outcome has either happened or never will, and every lookup shows which. */
function visibleFrom({ connector }: Account, marks: readonly Marked[]): number {
  const moments = marks.flatMap(({ object, records }) =>
    records.filter(isInDoubt).map(({ sentAt }) => {
      const lagMs = connector.visibilityMs(object.objectName, object.fields('x'));
      return Date.parse(sentAt) + connector.capabilities.lateCommitMs + lagMs;
    }),
  );
  return Math.max(0, ...moments);
}

async function untilVisible(account: Account, marks: readonly Marked[]): Promise<void> {
  const waitMs = visibleFrom(account, marks) - Date.now();
  if (waitMs > 0 && waitMs <= waitMaxMs) await delay(waitMs);
}

/** How often a deletion is tried that fails for a reason that may pass. [own] */
const triesMax = 4;

async function remove(
  { connector, auth }: Account,
  { objectName }: WrittenObject,
  recordId: string,
): Promise<RecordResult> {
  const notOffered: RecordResult = { ok: false, error: { class: 'rejected', scope: 'record', message: 'not offered' } };
  for (let tries = 1; ; tries += 1) {
    const result = (await connector.delete?.({ auth, objectName, recordId })) ?? notOffered;
    const mayPass = !result.ok && ['quota', 'unavailable', 'timeout', 'unknown'].includes(result.error.class);
    if (result.ok || !mayPass || tries === triesMax) return result;
    await delay(Math.max(1_000, result.error.retryAfterMs ?? 0));
  }
}

/** What a lookup still shows, once the index can have caught up. */
async function whatIsLeft(account: Account, marks: readonly Marked[]): Promise<string[]> {
  // What may still be made cannot be proven to be gone.
  const isOpen = visibleFrom(account, marks) > Date.now();
  const left = isOpen ? marks.filter(({ records }) => records.some(isInDoubt)).map(({ mark }) => mark) : [];
  const untilMs = Date.now() + Math.max(0, ...marks.map(({ object }) => visibleWithinMs(account, object)));
  for (const marked of marks) {
    while (await isThere(account, marked)) {
      if (Date.now() > untilMs) {
        left.push(idsOf(marked).join(', ') || marked.mark);
        break;
      }
      await delay(1_000);
    }
  }
  return left;
}

async function isThere(account: Account, marked: Marked): Promise<boolean> {
  const { connector, auth } = account;
  const { objectName, markField } = marked.object;
  const ids = idsOf(marked);
  if (ids.length > 0 && connector.readBatch) {
    const read = await connector.readBatch({ auth, objectName, ids, fields: [markField] });
    if (allRead(read).some((record) => record !== undefined)) return true;
  }
  return (await foundIds(account, marked)).length > 0;
}
