import type { BatchWriteReply } from '@sluice/types';
import { describeBody } from '../../../clients/request-json';
import type { Customer } from '../../customer';
import { expectThat } from '../../step-failure';
import type { StepOutcome, Tour } from '../../tour';

const places = ['good', 'bad', 'good', 'good', 'bad'] as const;
/** Characters of a reason: the step has one line. */
const shownMax = 40;

/** Five people in one synchronous batch, two of them wrong: the three others are written, in one call. */
export async function writeTwoBad(tour: Tour, { sluice, groupRef, crm }: Customer): Promise<StepOutcome> {
  const { people, email, lastname, wrong } = crm.words;
  const batch = places.map((place, at) => ({
    record: {
      [email]: `batch.${at}+${tour.run}@example.com`,
      [lastname]: `Bätch ${at}`,
      ...(place === 'bad' ? { [wrong.field]: wrong.value } : {}),
    },
  }));
  const watched = await crm.watch();
  const { status, body, tookMs } = await sluice.write<BatchWriteReply>({ groupRef, type: 'create', batch }, people);
  expectThat(status === 200, `A partly refused batch should answer 200, and answered ${status} ${describeBody(body)}`);
  const outcome = body.results.map(({ success }) => (success ? 'good' : 'bad')).join();
  expectThat(outcome === places.join(), `The batch should end as ${places.join()}, and ended as ${outcome}.`);
  const [call, ...more] = (await watched()).filter(({ applied }) => applied > 0);
  expectThat(call?.applied === 3 && more.length === 0, 'Three records should reach the CRM in one call.');
  const reasons = body.results.flatMap(({ errors }) => errors?.[0]?.message.slice(0, shownMax) ?? []);
  return {
    sent: `${batch.length} people, 2 of them wrong`,
    got: `200, ${body.successCount} written, ${body.failureCount} refused (${reasons.join(' / ')})`,
    crm: 'one call; the CRM has the 3',
    tookMs,
    value: undefined,
  };
}
