import { connectCustomer } from '../../demo/connect-customer';
import { demoConfig } from '../../demo/demo-config';
import type { Customer, Place } from '../customer';
import { expectThat } from '../step-failure';
import type { StepOutcome, Tour } from '../tour';

/** What a provider's answer to "whose token is this" is called in the ledger. */
const questions = ['account-details', 'userinfo'];

/**
 * A customer of its own for each run, so that nothing a person left accumulating in the demo's own installation joins
 * the batches that are counted here.
 */
export async function connectACustomer(tour: Tour, place: Place): Promise<StepOutcome<Customer>> {
  const { client, run } = tour;
  const { integration, access, crm } = place;
  const groupRef = `tour-${run}`;
  const calls = await crm.watch();
  const begunAtMs = performance.now();
  const content = demoConfig(integration.provider);
  const customer = { groupRef, consumerRef: groupRef, ...access, content };
  await connectCustomer(client, integration, customer);
  const tookMs = performance.now() - begunAtMs;
  const asked = (await calls()).filter(({ action }) => questions.includes(action));
  expectThat(
    asked.length === 1,
    `${crm.name} should have been asked once whose token it is, not ${asked.length} times.`,
  );
  return {
    sent: `group ${groupRef} with an access token`,
    got: 'a connection and an installation',
    crm: 'the CRM was asked once whose token it is',
    tookMs,
    value: { ...place, groupRef },
  };
}
