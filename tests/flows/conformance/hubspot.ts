import type { ProviderWords } from './words';

const common = {
  provider: 'hubspot',
  badToken: 'pat-na1-00000000-0000-0000-0000-000000000000',
  absentId: '99999999999999',
  statuses: { quota: 429, unavailable: 503 },
  hasGrants: true,
} as const;

const contacts = (hubspotVersion: 'v3' | '2026-03'): ProviderWords => ({
  ...common,
  title: `hubspot, layout ${hubspotVersion}`,
  hubspotVersion,
  objectName: 'contacts',
  fields: (seed) => ({ email: `${hubspotVersion}-${seed}@example.com`, firstname: 'Zoë', lastname: seed }),
  isUnique: true,
  textField: 'lastname',
  link: { from: 'contacts', to: 'companies', typeId: 279, fields: (seed) => ({ name: seed }) },
  casesMin: 69,
});

/** HubSpot: both layouts, and objects without a unique property. */
export const hubspotWords: readonly ProviderWords[] = [
  contacts('v3'),
  contacts('2026-03'),
  {
    ...common,
    title: 'hubspot, companies',
    objectName: 'companies',
    fields: (seed) => ({ name: seed, domain: 'zoe.example.com', city: 'Zürich' }),
    isUnique: false,
    textField: 'name',
    link: { from: 'companies', to: 'deals', typeId: 342, fields: (seed) => ({ dealname: seed }) },
    casesMin: 67,
  },
  {
    ...common,
    title: 'hubspot, deals by their type id, layout 2026-03',
    hubspotVersion: '2026-03',
    objectName: '0-3',
    fields: (seed) => ({ dealname: seed, amount: '1200.5' }),
    isUnique: false,
    textField: 'dealname',
    link: { from: 'deals', to: 'contacts', typeId: 3, fields: (seed) => ({ lastname: seed }) },
    casesMin: 67,
  },
];
