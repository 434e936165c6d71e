import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root';

/** The manifest that is deployed into the demo project. */
export const manifestFile = join(repositoryRoot, 'sluice.yaml');

/** 300 contacts as a customer would have them; its README says what stands where. */
export const sampleFile = join(repositoryRoot, 'deploy/local/samples/contacts.json');

/** Name of the sandbox account that plays the customer's CRM. */
export const sandboxAccountName = 'demo';

/** A customer whose CRM is connected. */
export interface DemoCustomer {
  readonly groupRef: string;
  readonly consumerRef: string;
  /** Secret: the customer's access token. */
  readonly token: string;
}

/** @param token of the sandbox account */
export function demoCustomer(token: string): DemoCustomer {
  return { groupRef: 'demo-group', consumerRef: 'demo-user', token };
}

/** Another token is another customer: nothing ever goes to an account that was connected before. */
export function realCustomer(provider: string, token: string): DemoCustomer {
  const mark = createHash('sha256').update(token).digest('hex').slice(0, 8);
  return { groupRef: `${provider}-${mark}`, consumerRef: `${provider}-${mark}`, token };
}
