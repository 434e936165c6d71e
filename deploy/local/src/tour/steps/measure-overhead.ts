import type { SingleWriteReply } from '@sluice/types';
import { describeBody } from '../../clients/request-json';
import { callsSince } from '../ledger-checks';
import { sampleIndexes, withMark } from '../sample-contacts';
import { expectThat } from '../step-failure';
import type { StepOutcome, Tour } from '../tour';

/** Creates of each kind. Together with the other steps they stay below HubSpot's 110 calls in ten seconds. */
const samples = 30;
/** What a synchronous write may add on the embedded stack. Source: issue, Speed. */
const goalMs = 10;

/** What Sluice adds to a synchronous create: the same calls with and without it, in turn. */
export async function measureOverhead(tour: Tour, groupRef: string): Promise<StepOutcome> {
  const { from, to } = sampleIndexes.measured;
  const people = tour.contacts.slice(from, to);
  const begunAt = new Date();
  const through: number[] = [];
  const direct: number[] = [];
  for (let at = 0; at < samples; at += 1) {
    const person = people[at % people.length] ?? {};
    const record = withMark(person, `s${at}`);
    const ours = await tour.sluice.write<SingleWriteReply>({ groupRef, type: 'create', record });
    expectThat(ours.status === 200, `Create ${at} answered ${ours.status} ${describeBody(ours.body)}`);
    const theirs = await tour.sandbox.createContact(withMark(person, `d${at}`));
    expectThat(theirs.status === 201, `The sandbox answered ${theirs.status} ${describeBody(theirs.body)}`);
    through.push(ours.tookMs);
    direct.push(theirs.tookMs);
  }
  const creates = await callsSince(tour, begunAt, 'create');
  const wanted = 2 * samples;
  expectThat(creates.length === wanted, `The CRM should have seen ${wanted} creates, and saw ${creates.length}.`);
  const added = median(through) - median(direct);
  return {
    sent: `${samples} creates through Sluice and ${samples} straight to the CRM, in turn`,
    got: `median ${median(through).toFixed(1)} ms and ${median(direct).toFixed(1)} ms: Sluice adds ${added.toFixed(1)} ms (goal: at most ${goalMs})`,
    crm: `the CRM saw ${creates.length} creates`,
    tookMs: through.concat(direct).reduce((sum, ms) => sum + ms, 0),
    value: undefined,
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1);
  return (low + high) / 2;
}
