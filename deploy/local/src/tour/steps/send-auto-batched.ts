import type { AcceptedWriteReply } from '@sluice/types';
import { describeBody } from '../../clients/request-json';
import { sampleIndexes, type SampleContact } from '../sample-contacts';
import { expectThat } from '../step-failure';
import type { StepOutcome, Tour } from '../tour';

/** A write whose reply was read. */
export interface AcceptedContact {
  readonly contact: SampleContact;
  readonly operationId: string;
  /** Place in its operation. */
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
export async function sendAutoBatched(tour: Tour, groupRef: string): Promise<StepOutcome<AcceptedContacts>> {
  const { from, to } = sampleIndexes.autoBatched;
  const toSend = tour.contacts.slice(from, to);
  const begunAtMs = performance.now();
  const contacts: AcceptedContact[] = [];
  for (let at = 0; at < toSend.length; at += waveSize) {
    const wave = toSend.slice(at, at + waveSize);
    contacts.push(...(await Promise.all(wave.map((contact) => sendOne(tour, groupRef, contact)))));
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

async function sendOne(tour: Tour, groupRef: string, contact: SampleContact): Promise<AcceptedContact> {
  const { status, headers, body } = await tour.sluice.write<AcceptedWriteReply>({
    groupRef,
    type: 'create',
    mode: 'asynchronous',
    record: contact,
    autoBatchPolicy: { maxDelayMinutes: 1 },
  });
  expectThat(status === 200, `Accepting ${contact.email} answered ${status} ${describeBody(body)}.`);
  return { contact, operationId: body.operationId, index: Number(headers.get('sluice-record-index')) };
}
