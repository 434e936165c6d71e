import type { Contact } from './contact';
import { contactProperties } from './property-definitions';

/** The app that writes through a private-app token, as HubSpot names it in a record. */
const SOURCE_APP_ID = '19083857';

const digitsOf = (phone: string | undefined): string | undefined => phone?.replace(/\D/g, '') || undefined;

function fullNameOrEmail({ properties }: Contact): string | undefined {
  const name = [properties.firstname, properties.lastname].filter(Boolean).join(' ');
  return name || properties.email;
}

/** Properties that HubSpot fills by itself. Names and constant values as in recorded replies. */
const computed: Readonly<Record<string, (contact: Contact) => string | undefined>> = {
  createdate: (contact) => contact.createdAt.toISOString(),
  lastmodifieddate: (contact) => contact.updatedAt.toISOString(),
  hs_object_id: (contact) => contact.id,
  hs_all_contact_vids: (contact) => contact.id,
  hs_email_domain: (contact) => contact.properties.email?.split('@')[1],
  hs_full_name_or_email: fullNameOrEmail,
  hs_is_contact: () => 'true',
  hs_is_unworked: () => 'true',
  hs_lifecyclestage_lead_date: (contact) => String(contact.createdAt.getTime()),
  hs_searchable_calculated_phone_number: (contact) => digitsOf(contact.properties.phone),
  hs_searchable_calculated_mobile_number: (contact) => digitsOf(contact.properties.mobilephone),
  hs_object_source: () => 'INTEGRATION',
  hs_object_source_id: () => SOURCE_APP_ID,
  hs_object_source_label: () => 'INTEGRATION',
  hs_pipeline: (contact) => contact.properties.hs_pipeline ?? 'contacts-lifecycle-pipeline',
  lifecyclestage: (contact) => contact.properties.lifecyclestage ?? 'lead',
  hs_currently_enrolled_in_prospecting_agent: () => 'false',
  hs_associated_target_accounts: () => '0',
  hs_membership_has_accessed_private_content: () => '0',
  hs_prospecting_agent_actively_enrolled_count: () => '0',
  hs_prospecting_agent_total_enrolled_count: () => '0',
  hs_registered_member: () => '0',
  hs_sequences_actively_enrolled_count: () => '0',
  num_notes: () => '0',
};

/** The value of any property of a contact; undefined when unset. */
export function propertyValue(contact: Contact, name: string): string | undefined {
  return computed[name]?.(contact) ?? contact.properties[name];
}

/** Every set property, own and computed. */
export function allValues(contact: Contact): Record<string, string> {
  const values: Record<string, string> = { ...contact.properties };
  for (const name of Object.keys(computed)) {
    const value = propertyValue(contact, name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** Whether HubSpot knows the property at all. Unknown names asked for in a read are left out without an error. */
export function isKnownProperty(name: string): boolean {
  return contactProperties.has(name);
}
