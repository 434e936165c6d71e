import { hubspotWords } from './hubspot';
import { restWords } from './rest';
import type { ProviderWords } from './words';

const salesforceWords: readonly ProviderWords[] = [
  {
    provider: 'salesforce',
    badToken: '00D000000000000!not.a.session',
    objectName: 'Contact',
    fields: (seed) => ({ External_Id__c: seed, FirstName: 'Zoë', LastName: seed }),
    isUnique: true,
    isResendSafe: true,
    textField: 'LastName',
    absentId: '003000000000000AAA',
    statuses: { quota: 403, unavailable: 503 },
    hasGrants: true,
    casesMin: 65,
  },
];

/** Every provider, or object or path layout of one, with its title. */
export const everyProvider = [...hubspotWords, ...salesforceWords, ...restWords].map(
  (words) => [words.title ?? words.provider, words] as const,
);
