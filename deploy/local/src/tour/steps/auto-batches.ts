import { setTimeout as sleep } from 'node:timers/promises';
import { Presets, SingleBar } from 'cli-progress';
import type { LedgerEntry } from '@sluice/sandbox';
import type { AcceptedWriteReply, Operation } from '@sluice/types';
import { callsSince, expectStatus, expectThat } from '../expect';
import { expectSame, sampleIndexes, sampleProperties, type SampleContact } from '../sample-contacts';
import type { Customer, Print, StepLine, StepOutcome, Tour } from '../tour';

/** A write whose reply was read. */
export interface AcceptedContact {
  readonly contact: SampleContact;
  readonly operationId: string;
  /** In its operation. */
  readonly index: number;
}

export interface AcceptedContacts {
  readonly contacts: readonly AcceptedContact[];
  /** In the order in which they were first seen. */
  readonly operationIds: readonly string[];
  readonly begunAtMs: number;
}

/** Requests at the same time: as many as a small backend would have open. */
const waveSize = 25;
const wantedSizes = [100, 100, 50];

/** 250 single writes with `maxDelayMinutes: 1`, which Sluice gathers into batches. The last batch leaves after a minute. */
export async function sendAutoBatched(tour: Tour, customer: Customer): Promise<StepOutcome<AcceptedContacts>> {
  const { from, to } = sampleIndexes.autoBatched;
  const toSend = tour.contacts.slice(from, to);
  const begunAtMs = performance.now();
  const contacts: AcceptedContact[] = [];
  for (let at = 0; at < toSend.length; at += waveSize) {
    const wave = toSend.slice(at, at + waveSize);
    contacts.push(...(await Promise.all(wave.map((contact) => sendOne(customer, contact)))));
  }
  const tookMs = performance.now() - begunAtMs;
  const operationIds = [...new Set(contacts.map(({ operationId }) => operationId))];
  const sizes = operationIds.map((id) => contacts.filter(({ operationId }) => operationId === id).length);
  const isAsWanted = sizes.toSorted((a, b) => b - a).join() === wantedSizes.join();
  expectThat(
    isAsWanted,
    `250 writes should belong to operations of ${wantedSizes.join(', ')}, not ${sizes.join(', ')}.`,
  );
  return {
    sent: `${contacts.length} contacts one by one, ${waveSize} at a time, maxDelayMinutes 1`,
    got: `all accepted into 3 operations of ${wantedSizes.join(', ')}, ${(tookMs / contacts.length).toFixed(1)} ms each`,
    crm: 'the CRM is compared in the last step',
    tookMs,
    value: { contacts, operationIds, begunAtMs },
  };
}

async function sendOne({ write }: Customer, contact: SampleContact): Promise<AcceptedContact> {
  const autoBatchPolicy = { maxDelayMinutes: 1 };
  const reply = await write<AcceptedWriteReply>({
    type: 'create',
    mode: 'asynchronous',
    record: contact,
    autoBatchPolicy,
  });
  const { headers, body } = expectStatus(reply, 200, `Accepting ${contact.email}`);
  return { contact, operationId: body.operationId, index: Number(headers.get('sluice-record-index')) };
}

/** The last batch leaves a minute after its first record; time is never scaled here. */
const expectedMs = 61_000;
const giveUpMs = 120_000;
const everyMs = 500;

/** Waits for the three operations, then compares every contact and every call with the sandbox. */
export async function drainAutoBatches(tour: Tour, accepted: AcceptedContacts): Promise<StepLine> {
  const operations = await waitForAll(tour, accepted);
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
  };
}

async function waitForAll(tour: Tour, accepted: AcceptedContacts): Promise<readonly Operation[]> {
  const progress = createProgress(tour.print);
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
    (await tour.hubspot.sandbox.readContacts([...ids.values()], sampleProperties)).map((one) => [one.id, one]),
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

/** How a wait goes on. */
interface Progress {
  update(elapsedMs: number, text: string): void;
  /** Takes the bar away. */
  end(): void;
}

/** Without a terminal a bar would be noise: a line now and then. */
const lineEveryMs = 10_000;

function createProgress(print: Print): Progress {
  return process.stdout.isTTY ? createBar() : createLines(print);
}

function createBar(): Progress {
  const format = '    {bar} {seconds} s of about {expected} s, {text}';
  const bar = new SingleBar({ format, clearOnComplete: true, hideCursor: true, barsize: 30 }, Presets.shades_classic);
  bar.start(expectedMs, 0, { seconds: 0, expected: seconds(expectedMs), text: '' });
  return {
    update: (elapsedMs, text) => bar.update(Math.min(elapsedMs, expectedMs), { seconds: seconds(elapsedMs), text }),
    end: () => bar.stop(),
  };
}

function createLines(print: Print): Progress {
  let nextAtMs = 0;
  return {
    update: (elapsedMs, text) => {
      if (elapsedMs < nextAtMs) return;
      nextAtMs = (Math.floor(elapsedMs / lineEveryMs) + 1) * lineEveryMs;
      print(`    ${seconds(elapsedMs)} s of about ${seconds(expectedMs)} s, ${text}`);
    },
    end: () => undefined,
  };
}

function seconds(ms: number): number {
  return Math.round(ms / 1000);
}
