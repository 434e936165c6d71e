import { connectCustomer } from '../../demo/connect-customer';
import { callsSince } from '../ledger-checks';
import { expectThat } from '../step-failure';
import type { StepOutcome, Tour } from '../tour';

/**
 * A customer of its own for each run, so that nothing a person left accumulating in the demo's own installation joins
 * the batches that are counted here. @returns the groupRef
 */
export async function connectACustomer(tour: Tour): Promise<StepOutcome<string>> {
  const { management, projectId, integration, token, run } = tour;
  const groupRef = `tour-${run}`;
  const begunAt = performance.now();
  const customer = { groupRef, consumerRef: groupRef, token };
  await connectCustomer(management, projectId, integration, customer);
  const tookMs = performance.now() - begunAt;
  const asked = await callsSince(tour, tour.begunAt, 'account-details');
  expectThat(
    asked.length === 1,
    `The CRM should have been asked once whose token it is, and was ${asked.length} times.`,
  );
  return {
    sent: `group ${groupRef} with an access token`,
    got: 'a connection and an installation',
    crm: 'the CRM was asked once whose token it is',
    tookMs,
    value: groupRef,
  };
}
