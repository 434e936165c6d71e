import { seedInstallation, type SeedOptions } from '@sluice/testkit';
import type { HubspotPortal } from './fake-providers';
import { prepareInstallation, type PreparedInstallation } from './prepare-installation';
import type { RunningManagement } from './start-management';

const property = (name: string, members: object = {}) => ({
  name,
  label: name.toUpperCase(),
  type: 'string',
  fieldType: 'text',
  hubspotDefined: true,
  ...members,
});

/** An account with contacts and deals. */
const portal: HubspotPortal = {
  portalId: 4711,
  objects: {
    contacts: [
      property('email'),
      property('jobtitle'),
      property('favorite_color', { hubspotDefined: false }),
      property('createdate', { type: 'datetime', modificationMetadata: { readOnlyValue: true } }),
    ],
    deals: [property('dealname')],
  },
};

let tokens = 0;

/** An installation whose connection opens an account of the fake HubSpot. Each has a token of its own: answers are kept by token. */
export async function prepareAccount(
  management: RunningManagement,
  options: SeedOptions = {},
): Promise<PreparedInstallation & { readonly token: string }> {
  tokens += 1;
  const token = `token-${tokens}`;
  management.hubspot.outcomes.set(token, portal);
  const seal = (id: string) => management.context.installations.seal({ noun: 'connection', id }, { apiKey: token });
  return { ...(await prepareInstallation(management, { seal, ...options })), token };
}

/** The same group in a project of its own. */
export const seedElsewhere = (management: RunningManagement) => seedInstallation(management.context.store);
