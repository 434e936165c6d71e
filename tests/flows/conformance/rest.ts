import type { ProviderWords, SandboxAccount } from './words';

const statuses = { quota: 429, unavailable: 503 };
/** Creates only: the searches of one of them are POSTs too. */
const writePath = '^/rest/[A-Za-z]+(/[a-z0-9]+)*/(persons|tickets|profiles|Leads|lead|contacts)/?$';

/** A key in place of a token. */
const byKey = ({ token, workspaceRef }: SandboxAccount) => ({
  accessToken: token,
  kind: 'apiKey' as const,
  workspaceRef,
});

/** Providers that are described by a file, each as the sandbox imitates it apart from that file. */
export const restWords: readonly ProviderWords[] = [
  {
    provider: 'pipedrive',
    objectName: 'persons',
    fields: (seed) => ({ name: `Zoë ${seed}`, email: `${seed}@example.com`, job_title: 'Ingénieure' }),
    isUnique: false,
    textField: 'name',
    absentId: '999999999',
    badToken: '0000000000000000000000000000000000000000',
    statuses,
    writePath,
    auth: byKey,
    casesMin: 35,
  },
  {
    provider: 'zendeskSupport',
    objectName: 'tickets',
    fields: (seed) => ({ subject: `Zoë ${seed}`, external_id: seed, priority: 'high' }),
    isUnique: false,
    textField: 'subject',
    absentId: '8007199254740993',
    badToken: Buffer.from('anna@example.com/token:wrong').toString('base64'),
    statuses,
    writePath,
    auth: ({ token, workspaceRef }) => ({
      accessToken: Buffer.from(`anna@example.com/token:${token}`).toString('base64'),
      kind: 'basic',
      workspaceRef,
    }),
    casesMin: 32,
  },
  {
    provider: 'klaviyo',
    objectName: 'profiles',
    fields: (seed) => ({ email: `${seed}@example.com`, first_name: 'Zoë "Zo" \\', last_name: seed }),
    isUnique: true,
    textField: 'email',
    absentId: '01SANDBOXNONE',
    badToken: 'pk_0000',
    statuses,
    writePath,
    auth: byKey,
    describesFromFile: true,
    casesMin: 37,
  },
  {
    provider: 'zoho',
    objectName: 'Leads',
    fields: (seed) => ({ Last_Name: `Zoë (${seed}), Dr.`, Email: `${seed}@example.com`, Company: 'Müller & Söhne' }),
    isUnique: false,
    textField: 'Last_Name',
    absentId: '1000000000000000001',
    badToken: '1000.0000',
    statuses,
    writePath,
    hasGrants: true,
    casesMin: 38,
  },
  {
    provider: 'close',
    objectName: 'lead',
    fields: (seed) => ({ name: `Zoë ${seed}`, description: '"quoted" \\ \n lines', url: 'https://example.com' }),
    isUnique: false,
    textField: 'name',
    absentId: 'lead_0000000000000000000000',
    badToken: 'api_0000',
    statuses,
    writePath,
    auth: byKey,
    casesMin: 32,
  },
  {
    provider: 'freshdesk',
    objectName: 'contacts',
    fields: (seed) => ({ name: 'Zoë', email: `${seed}@example.com`, job_title: seed }),
    isUnique: true,
    textField: 'email',
    absentId: '1',
    badToken: 'key0000',
    statuses,
    writePath,
    auth: byKey,
    casesMin: 38,
  },
];
