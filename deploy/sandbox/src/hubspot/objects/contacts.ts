import type { CrmRecord } from '../crm-record';
import { objectType, sourceOfRecords, type ComputedProperties } from './object-type';
import { define, systemProperties, words } from './property-definition';

const lifecycleStages = words(
  'subscriber lead marketingqualifiedlead salesqualifiedlead opportunity customer evangelist other',
);
const leadStatuses = words('NEW OPEN IN_PROGRESS OPEN_DEAL UNQUALIFIED ATTEMPTED_TO_CONTACT CONNECTED BAD_TIMING');
const sizes = words('1-5 5-25 25-50 50-100 100-500 500-1000 1000+');
const languages = words('cs da de en es fi fr hi it ja ko nl no pl pt ro ru sv tr uk vi zh-cn');

const writable = [
  ...define('email', 'string', 'text', { unique: true }),
  ...define('firstname lastname salutation jobtitle job_function seniority company industry', 'string', 'text'),
  ...define('address city state zip country school degree field_of_study', 'string', 'text'),
  ...define('website work_email annualrevenue date_of_birth gender marital_status', 'string', 'text'),
  ...define('hs_linkedin_url twitterhandle hs_additional_emails', 'string', 'text'),
  ...define('phone mobilephone fax', 'string', 'phonenumber'),
  ...define('message', 'string', 'textarea'),
  ...define('lifecyclestage', 'enumeration', 'radio', { options: lifecycleStages }),
  ...define('hs_lead_status', 'enumeration', 'radio', { options: leadStatuses }),
  ...define('hs_language', 'enumeration', 'select', { options: languages }),
  ...define('numemployees', 'enumeration', 'select', { options: sizes }),
  ...define('hubspot_owner_id hs_pipeline hs_all_assigned_business_unit_ids', 'enumeration', 'select', {
    externalOptions: true,
  }),
  ...define('associatedcompanyid', 'number', 'number'),
  ...define('closedate', 'datetime', 'date'),
];

/** What a customer typically adds: one of each type, one of them unique. */
const customerMade = [
  ...define('customer_number', 'string', 'text', { unique: true, custom: true }),
  ...define('loyalty_points', 'number', 'number', { custom: true }),
  ...define('loyalty_tier', 'enumeration', 'select', { options: words('bronze silver gold'), custom: true }),
  ...define('interests', 'enumeration', 'checkbox', {
    options: words('cycling music cooking travel'),
    multiple: true,
    custom: true,
  }),
  ...define('newsletter', 'bool', 'booleancheckbox', { custom: true }),
  ...define('birthday', 'date', 'date', { custom: true }),
];

const readOnly = [
  ...systemProperties,
  ...define('lastmodifieddate', 'datetime', 'date', { readOnly: true }),
  ...define('hs_lifecyclestage_lead_date', 'datetime', 'date', { readOnly: true }),
  ...define('hs_associated_target_accounts num_notes hubspotscore', 'number', 'number', { readOnly: true }),
  ...define(
    `hs_membership_has_accessed_private_content hs_prospecting_agent_actively_enrolled_count hs_registered_member
     hs_prospecting_agent_total_enrolled_count hs_sequences_actively_enrolled_count`,
    'number',
    'number',
    { readOnly: true },
  ),
  ...define(
    `hs_all_contact_vids hs_email_domain hs_full_name_or_email
     hs_searchable_calculated_phone_number hs_searchable_calculated_mobile_number`,
    'string',
    'text',
    { readOnly: true },
  ),
  ...define('hs_currently_enrolled_in_prospecting_agent hs_is_contact hs_is_unworked', 'bool', 'booleancheckbox', {
    readOnly: true,
  }),
];

const digitsOf = (phone: string | undefined): string | undefined => phone?.replace(/\D/g, '') || undefined;

function fullNameOrEmail({ properties }: CrmRecord): string | undefined {
  const name = [properties.firstname, properties.lastname].filter(Boolean).join(' ');
  return name || properties.email;
}

/** Names and constant values as in recorded replies. */
const computed: ComputedProperties = {
  ...sourceOfRecords,
  lastmodifieddate: (contact) => contact.updatedAt.toISOString(),
  hs_all_contact_vids: (contact) => contact.id,
  hs_email_domain: (contact) => contact.properties.email?.split('@')[1],
  hs_full_name_or_email: fullNameOrEmail,
  hs_is_contact: () => 'true',
  hs_is_unworked: () => 'true',
  hs_lifecyclestage_lead_date: (contact) => String(contact.createdAt.getTime()),
  hs_searchable_calculated_phone_number: (contact) => digitsOf(contact.properties.phone),
  hs_searchable_calculated_mobile_number: (contact) => digitsOf(contact.properties.mobilephone),
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

export const contacts = objectType({
  name: 'contacts',
  singular: 'contact',
  typeId: '0-1',
  properties: [...writable, ...customerMade, ...readOnly],
  required: [],
  computed,
  alwaysShown: ['createdate', 'hs_object_id', 'lastmodifieddate'],
  shownByDefault: ['email', 'firstname', 'lastname'],
  // Source: recorded batch update replies.
  shownAfterUpdate: words(
    'hs_is_unworked hs_object_source hs_object_source_id hs_object_source_label hs_pipeline lifecyclestage',
  ),
  searched: words('firstname lastname email phone mobilephone company website hs_object_id'),
});
