/** Kinds of value that differ in how HubSpot checks and compares them. */
export type ValueType = 'string' | 'number' | 'bool' | 'enumeration' | 'date' | 'datetime';

/** One contact property, as far as behaviour depends on it; `property-metadata.ts` widens it to the wire form. */
export interface PropertyDefinition {
  readonly name: string;
  readonly label: string;
  readonly type: ValueType;
  readonly fieldType: string;
  /** Allowed values of an enumeration; absent when any value passes (external options). */
  readonly options?: readonly string[];
  /** Several options joined by `;`. */
  readonly multiple?: true;
  /** Set by HubSpot only: a write answers READ_ONLY_VALUE. */
  readonly readOnly?: true;
  /** No two contacts share a value, compared without case. */
  readonly unique?: true;
  /** Added by the customer rather than delivered with HubSpot. */
  readonly custom?: true;
}

type Extra = Partial<Pick<PropertyDefinition, 'options' | 'multiple' | 'readOnly' | 'unique' | 'custom'>>;

const words = (names: string): string[] => names.split(/\s+/).filter(Boolean);
const labelOf = (name: string): string =>
  name
    .replace(/^hs_/, '')
    .replace(/_/g, ' ')
    .replace(/^\w/, (letter) => letter.toUpperCase());

const define = (names: string, type: ValueType, fieldType: string, extra: Extra = {}): PropertyDefinition[] =>
  words(names).map((name) => ({ name, label: labelOf(name), type, fieldType, ...extra }));

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
  ...define('hubspot_owner_id hs_pipeline hs_all_assigned_business_unit_ids', 'enumeration', 'select'),
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
  ...define('createdate lastmodifieddate', 'datetime', 'date', { readOnly: true }),
  ...define('hs_lifecyclestage_lead_date', 'datetime', 'date', { readOnly: true }),
  ...define('hs_object_id hs_associated_target_accounts num_notes hubspotscore', 'number', 'number', {
    readOnly: true,
  }),
  ...define(
    `hs_membership_has_accessed_private_content hs_prospecting_agent_actively_enrolled_count hs_registered_member
     hs_prospecting_agent_total_enrolled_count hs_sequences_actively_enrolled_count`,
    'number',
    'number',
    { readOnly: true },
  ),
  ...define(
    `hs_all_contact_vids hs_email_domain hs_full_name_or_email hs_object_source hs_object_source_id
     hs_object_source_label hs_searchable_calculated_phone_number hs_searchable_calculated_mobile_number`,
    'string',
    'text',
    { readOnly: true },
  ),
  ...define('hs_currently_enrolled_in_prospecting_agent hs_is_contact hs_is_unworked', 'bool', 'booleancheckbox', {
    readOnly: true,
  }),
];

/** Every contact property of the imitated account, by name. A realistic part of HubSpot's several hundred. */
export const contactProperties: ReadonlyMap<string, PropertyDefinition> = new Map(
  [...writable, ...customerMade, ...readOnly].map((definition) => [definition.name, definition]),
);

/** Names of the properties that no two contacts may share. */
export const uniqueProperties: readonly string[] = [...contactProperties.values()]
  .filter((definition) => definition.unique === true)
  .map((definition) => definition.name);
