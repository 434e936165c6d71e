import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { repositoryRoot } from '@sluice/stack';
import type { SandboxAccount } from '../clients/sandbox-client';

/** The manifest that is deployed into the demo project. */
export const manifestFile = join(repositoryRoot, 'sluice.yaml');

/** 300 contacts as a customer would have them; its README says what stands where. */
export const sampleFile = join(repositoryRoot, 'deploy/local/samples/contacts.json');

/** The sandbox accounts that play the customer's CRMs. */
export const sandboxAccounts = [
  { name: 'demo', provider: 'hubspot' },
  { name: 'demo-salesforce', provider: 'salesforce' },
] as const;

/** A customer whose CRM is connected. */
export interface DemoCustomer {
  readonly provider: string;
  readonly groupRef: string;
  readonly consumerRef: string;
  /** Secret: the customer's access token. */
  readonly token: string;
  /** Needed where the provider's host name carries it. */
  readonly workspaceRef?: string;
}

/** The person of the demo, at one of the imitated CRMs. */
export function demoCustomer({ provider, token, workspaceRef }: SandboxAccount): DemoCustomer {
  return { provider, groupRef: 'demo-group', consumerRef: 'demo-user', token, workspaceRef };
}

/** Another token is another customer: nothing ever goes to an account that was connected before. */
export function realCustomer(provider: string, token: string, workspaceRef?: string): DemoCustomer {
  const mark = createHash('sha256').update(token).digest('hex').slice(0, 8);
  const ref = `${provider}-${mark}`;
  return { provider, groupRef: ref, consumerRef: ref, token, ...(workspaceRef === undefined ? {} : { workspaceRef }) };
}
