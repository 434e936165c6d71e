import type { BatchWriteReply } from '@sluice/types';
import { describeBody } from '../../clients/request-json';
import { expectSame } from '../compare-contact';
import { callsSince } from '../ledger-checks';
import { contactAt, sampleIndexes, sampleProperties } from '../sample-contacts';
import { expectThat } from '../step-failure';
import type { StepOutcome, Tour } from '../tour';

const { odd, refused } = sampleIndexes;
/** Characters of a reason: the step has one line. */
const shownMax = 40;

/** Missing and odd values in one synchronous batch, and two records that HubSpot refuses: the others are written. */
export async function createOddBatch(tour: Tour, groupRef: string): Promise<StepOutcome> {
  const contacts = [...odd, ...refused].map((index) => contactAt(tour.contacts, index));
  const begunAt = new Date();
  const batch = contacts.map((record) => ({ record }));
  const { status, body, tookMs } = await tour.sluice.write<BatchWriteReply>({ groupRef, type: 'create', batch });
  expectThat(status === 200, `A partly refused batch should answer 200, and answered ${status} ${describeBody(body)}`);
  const outcome = body.results.map(({ success }) => (success ? 'written' : 'refused')).join();
  const wanted = [...odd.map(() => 'written'), ...refused.map(() => 'refused')].join();
  expectThat(outcome === wanted, `The batch should end as ${wanted}, and ended as ${outcome}.`);
  const ids = body.results.flatMap(({ recordId }) => recordId ?? []);
  const found = await tour.sandbox.readContacts(ids, sampleProperties);
  for (const [at, id] of ids.entries()) {
    expectSame(
      contacts[at] ?? {},
      found.find((contact) => contact.id === id),
    );
  }
  const calls = (await callsSince(tour, begunAt, 'batch-create')).filter((call) =>
    call.recordIds.includes(ids[0] ?? ''),
  );
  expectThat(calls.length === 1, `The batch should reach the CRM in one call, and did in ${calls.length}.`);
  const reasons = body.results.flatMap(({ errors }) => errors?.[0]?.message ?? []);
  return {
    sent: `${contacts.length} contacts: without email, long names, emoji, line breaks, and ${refused.length} wrong ones`,
    got: `200, ${body.successCount} written, ${body.failureCount} refused (${reasons.map(shorten).join(' / ')})`,
    crm: `one call; the CRM has the ${ids.length}, every value equal to the last space`,
    tookMs,
    value: undefined,
  };
}

/** HubSpot wraps its sentence in JSON; the sentence is what a person reads. */
function shorten(message: string): string {
  const inner = /"message":"(?<sentence>[^"]+)"/.exec(message)?.groups?.sentence ?? message;
  return inner.length > shownMax ? `${inner.slice(0, shownMax)}…` : inner;
}
