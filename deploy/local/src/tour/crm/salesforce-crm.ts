import { bodyOf } from '../../clients/request-json';
import type { SandboxClient } from '../../clients/sandbox-client';
import type { Crm, CrmWords } from './crm';
import { watchLedger } from './watch-ledger';

export const salesforceWords: CrmWords = {
  people: 'Contact',
  email: 'Email',
  lastname: 'LastName',
  phone: 'Phone',
  title: 'Title',
  defaulted: { field: 'LeadSource', value: 'Web' },
  wrong: { field: 'Email', value: 'no address' },
};

const path = (id: string) => `/services/data/v60.0/sobjects/Contact/${id}`;

/** The imitated Salesforce org. */
export function createSalesforceCrm(sandbox: SandboxClient): Crm {
  const openedAt = new Date();
  return {
    name: 'Salesforce',
    words: salesforceWords,
    read: async (id, fields) => {
      const reply = await sandbox.request<Record<string, unknown>>('GET', `${path(id)}?fields=${fields.join(',')}`);
      return reply.status === 404 ? undefined : bodyOf(reply, 200, 'reading a Contact');
    },
    type: async (id, fields) => {
      bodyOf(await sandbox.request('PATCH', path(id), fields), 204, 'changing a Contact in Salesforce');
    },
    watch: () => watchLedger(sandbox, openedAt),
  };
}
