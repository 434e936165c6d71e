import type { ProviderWords } from './words';

export const salesforceWords: readonly ProviderWords[] = [
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
