import { bodyOf } from '../../clients/request-json';
import type { CrmContact, SandboxClient } from '../../clients/sandbox-client';
import type { Crm, CrmWords } from './crm';
import { watchLedger } from './watch-ledger';

export const hubspotWords: CrmWords = {
  people: 'contacts',
  email: 'email',
  lastname: 'lastname',
  phone: 'phone',
  title: 'jobtitle',
  defaulted: { field: 'hs_lead_status', value: 'NEW' },
  wrong: { field: 'lifecyclestage', value: 'no such stage' },
};

const path = (id: string) => `/crm/v3/objects/contacts/${id}`;

/** The imitated HubSpot account. */
export function createHubspotCrm(sandbox: SandboxClient): Crm {
  const openedAt = new Date();
  return {
    name: 'HubSpot',
    words: hubspotWords,
    read: async (id, fields) => {
      const reply = await sandbox.request<CrmContact>('GET', `${path(id)}?properties=${fields.join(',')}`);
      return reply.status === 404 ? undefined : bodyOf(reply, 200, 'reading a contact').properties;
    },
    type: async (id, properties) => {
      bodyOf(await sandbox.request('PATCH', path(id), { properties }), 200, 'changing a contact in HubSpot');
    },
    watch: () => watchLedger(sandbox, openedAt),
  };
}
