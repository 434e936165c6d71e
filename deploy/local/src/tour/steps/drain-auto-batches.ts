import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerEntry } from '@sluice/sandbox';
import type { Operation } from '@sluice/types';
import { expectSame } from '../compare-contact';
import { callsSince } from '../ledger-checks';
import type { Print } from '../print-step';
import { createProgress } from '../progress';
import { sampleProperties } from '../sample-contacts';
import { expectThat } from '../step-failure';
import type { StepOutcome, Tour } from '../tour';
import type { AcceptedContacts } from './send-auto-batched';

/** The last batch leaves a minute after its first record; time is never scaled here. */
const expectedMs = 61_000;
const giveUpMs = 120_000;
const everyMs = 500;

/** Waits for the three operations, then compares every contact and every call with the sandbox. */
export async function drainAutoBatches(tour: Tour, accepted: AcceptedContacts, print: Print): Promise<StepOutcome> {
  const operations = await waitForAll(tour, accepted, print);
  const tookMs = performance.now() - accepted.begunAtMs;
  for (const { id, status, result } of operations) {
    expectThat(status === 'success', `Operation ${id} ended with ${status}: ${result}`);
  }
  const ids = await compareContacts(tour, accepted);
  const calls = await batchCalls(tour, ids);
  const sizes = calls.map((call) => call.records).toSorted((a, b) => b - a);
  expectThat(
    sizes.join() === '100,100,50',
    `3 calls of 100, 100 and 50 should have reached the CRM, not ${sizes.join(', ')}.`,
  );
  const written = calls.flatMap((call) => call.recordIds);
  const isOnceEach = written.length === ids.size && new Set(written).size === ids.size;
  expectThat(
    isOnceEach,
    `The ${ids.size} contacts should be written once each; the ledger shows ${written.length} writes.`,
  );
  return {
    sent: `nothing more; the minute of the last batch was waited out`,
    got: `${operations.length} operations with success`,
    crm: `the CRM got 3 calls of ${sizes.join(', ')}; it has the ${ids.size} contacts once each, every value equal`,
    tookMs,
    value: undefined,
  };
}

async function waitForAll(tour: Tour, accepted: AcceptedContacts, print: Print): Promise<readonly Operation[]> {
  const progress = createProgress(expectedMs, print);
  try {
    for (;;) {
      const get = (id: string) => tour.client.management.getOperation({ operationId: id });
      const operations = await Promise.all(accepted.operationIds.map(get));
      const open = operations.filter(({ status }) => status === 'in_progress').length;
      const elapsedMs = performance.now() - accepted.begunAtMs;
      if (open === 0) return operations;
      expectThat(elapsedMs < giveUpMs, `${open} operations are in progress after ${giveUpMs / 1000} s.`);
      progress.update(elapsedMs, `${operations.length - open} of ${operations.length} batches are in the CRM`);
      await sleep(everyMs, undefined, { signal: tour.signal });
    }
  } finally {
    progress.end();
  }
}

/** Every accepted contact, by its operation and index, is what the CRM has. @returns the ids, each once */
async function compareContacts(tour: Tour, { contacts, operationIds }: AcceptedContacts): Promise<Set<string>> {
  const ids = new Map<string, string>();
  for (const operationId of operationIds) {
    const { results } = await tour.client.management.listOperationRecords({ operationId });
    for (const { index, recordId, error } of results) {
      expectThat(
        recordId !== undefined,
        `Record ${index} of operation ${operationId} was not written: ${error?.message}`,
      );
      ids.set(`${operationId}/${index}`, recordId);
    }
  }
  const found = new Map(
    (await tour.sandbox.readContacts([...ids.values()], sampleProperties)).map((one) => [one.id, one]),
  );
  for (const { contact, operationId, index } of contacts) {
    expectSame(contact, found.get(ids.get(`${operationId}/${index}`) ?? ''));
  }
  const distinct = new Set(ids.values());
  expectThat(
    distinct.size === contacts.length,
    `${contacts.length} contacts should have ids of their own; ${distinct.size} do.`,
  );
  return distinct;
}

/** The calls that wrote one of these, and any that was refused: a refused one carries no ids to know it by. */
async function batchCalls(tour: Tour, ids: ReadonlySet<string>): Promise<readonly LedgerEntry[]> {
  const calls = await callsSince(tour, tour.begunAt, 'batch-create');
  const isOurs = (call: LedgerEntry) => call.recordIds.some((id) => ids.has(id));
  const failed = calls.find((call) => call.recordIds.length === 0);
  expectThat(failed === undefined, `A batch create was answered with ${failed?.status}.`);
  return calls.filter(isOurs);
}
