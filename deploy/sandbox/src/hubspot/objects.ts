import { HubspotError } from './errors';
import { define, objectType, words, type ComputedProperties, type CrmRecord, type ObjectType } from './object-type';

const readOnly = { readOnly: true } as const;
const custom = { custom: true } as const;
const external = { externalOptions: true } as const;

/** Properties that every object has and no caller can write. */
const systemProperties = [
  ...define('createdate', 'datetime', 'date', readOnly),
  ...define('hs_object_id', 'number', 'number', readOnly),
  ...define('hs_object_source hs_object_source_id hs_object_source_label', 'string', 'text', readOnly),
];

/** The app that writes, as HubSpot names it in a record. Constants as in recorded replies. */
const systemValues: ComputedProperties = {
  createdate: (record) => record.createdAt,
  hs_object_id: (record) => record.id,
  hs_object_source: () => 'INTEGRATION',
  hs_object_source_id: () => '19083857',
  hs_object_source_label: () => 'INTEGRATION',
};

const lifecycleStages = words(
  'subscriber lead marketingqualifiedlead salesqualifiedlead opportunity customer evangelist other',
);
const leadStatuses = words('NEW OPEN IN_PROGRESS OPEN_DEAL UNQUALIFIED ATTEMPTED_TO_CONTACT CONNECTED BAD_TIMING');
const sizes = words('1-5 5-25 25-50 50-100 100-500 500-1000 1000+');
const languages = words('cs da de en es fi fr hi it ja ko nl no pl pt ro ru sv tr uk vi zh-cn');

const contactProperties = [
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
  ...define('hubspot_owner_id hs_pipeline hs_all_assigned_business_unit_ids', 'enumeration', 'select', external),
  ...define('associatedcompanyid', 'number', 'number'),
  ...define('closedate', 'datetime', 'date'),
  // What a customer typically adds: one of each type, one of them unique.
  ...define('customer_number', 'string', 'text', { ...custom, unique: true }),
  ...define('loyalty_points', 'number', 'number', custom),
  ...define('loyalty_tier', 'enumeration', 'select', { ...custom, options: words('bronze silver gold') }),
  ...define('interests', 'enumeration', 'checkbox', {
    ...custom,
    options: words('cycling music cooking travel'),
    multiple: true,
  }),
  ...define('newsletter', 'bool', 'booleancheckbox', custom),
  ...define('birthday', 'date', 'date', custom),
  ...systemProperties,
  ...define('lastmodifieddate', 'datetime', 'date', readOnly),
  ...define('hs_email_domain hs_searchable_calculated_phone_number', 'string', 'text', readOnly),
];

const digitsOf = (phone: string | undefined): string | undefined => phone?.replace(/\D/g, '') || undefined;

const contacts = objectType({
  name: 'contacts',
  singular: 'contact',
  typeId: '0-1',
  properties: contactProperties,
  required: [],
  // Names and constant values as in recorded replies.
  computed: {
    ...systemValues,
    lastmodifieddate: (contact) => contact.updatedAt,
    hs_email_domain: (contact) => contact.fields.email?.split('@')[1],
    hs_searchable_calculated_phone_number: (contact) => digitsOf(contact.fields.phone),
    hs_pipeline: (contact) => contact.fields.hs_pipeline ?? 'contacts-lifecycle-pipeline',
    lifecyclestage: (contact) => contact.fields.lifecyclestage ?? 'lead',
  },
  alwaysShown: ['createdate', 'hs_object_id', 'lastmodifieddate'],
  shownByDefault: ['email', 'firstname', 'lastname'],
  // Source: recorded batch update replies.
  shownAfterUpdate: words('hs_object_source hs_object_source_id hs_object_source_label hs_pipeline lifecyclestage'),
  searched: words('firstname lastname email phone mobilephone company website hs_object_id'),
});

const industries = words(
  `ACCOUNTING AIRLINES_AVIATION AUTOMOTIVE BANKING BIOTECHNOLOGY COMPUTER_SOFTWARE CONSTRUCTION CONSUMER_GOODS
   EDUCATION_MANAGEMENT FINANCIAL_SERVICES HOSPITAL_HEALTH_CARE INFORMATION_TECHNOLOGY_AND_SERVICES INSURANCE INTERNET
   LAW_PRACTICE LOGISTICS_AND_SUPPLY_CHAIN MANAGEMENT_CONSULTING NON_PROFIT_ORGANIZATION_MANAGEMENT RETAIL
   TELECOMMUNICATIONS UTILITIES`,
);

const companies = objectType({
  name: 'companies',
  singular: 'company',
  typeId: '0-2',
  properties: [
    // The domain is not unique: HubSpot's API stores two companies with one domain.
    ...define('name domain website', 'string', 'text'),
    ...define('address address2 city state zip country timezone founded_year', 'string', 'text'),
    ...define('linkedin_company_page twitterhandle', 'string', 'text'),
    ...define('phone', 'string', 'phonenumber'),
    ...define('description about_us', 'string', 'textarea'),
    ...define('industry', 'enumeration', 'select', { options: industries }),
    ...define('type', 'enumeration', 'select', { options: words('PROSPECT PARTNER RESELLER VENDOR OTHER') }),
    ...define('lifecyclestage', 'enumeration', 'radio', { options: lifecycleStages }),
    ...define('hubspot_owner_id', 'enumeration', 'select', external),
    ...define('numberofemployees annualrevenue', 'number', 'number'),
    ...define('is_public', 'bool', 'booleancheckbox'),
    ...define('account_code', 'string', 'text', { ...custom, unique: true }),
    ...define('support_tier', 'enumeration', 'select', { ...custom, options: words('basic plus premium') }),
    ...define('renewal_date', 'date', 'date', custom),
    ...systemProperties,
    ...define('hs_lastmodifieddate', 'datetime', 'date', readOnly),
    ...define('num_associated_contacts num_associated_deals', 'number', 'number', readOnly),
  ],
  required: ['name'],
  computed: {
    ...systemValues,
    hs_lastmodifieddate: (company) => company.updatedAt,
    lifecyclestage: (company) => company.fields.lifecyclestage ?? 'lead',
  },
  alwaysShown: ['createdate', 'hs_lastmodifieddate', 'hs_object_id'],
  shownByDefault: ['domain', 'name'],
  shownAfterUpdate: words('hs_object_source hs_object_source_id hs_object_source_label lifecyclestage'),
  searched: words('name domain website phone hs_object_id'),
});

/** The stages of HubSpot's one pipeline at the start, in order. */
const dealStages = words(
  'appointmentscheduled qualifiedtobuy presentationscheduled decisionmakerboughtin contractsent closedwon closedlost',
);

const dealPipeline = 'default';

const isStage = (deal: CrmRecord, stages: readonly string[]): string =>
  String(stages.includes(deal.fields.dealstage ?? ''));

const deals = objectType({
  name: 'deals',
  singular: 'deal',
  typeId: '0-3',
  properties: [
    ...define('dealname', 'string', 'text'),
    ...define('amount', 'number', 'number'),
    ...define('dealstage', 'enumeration', 'radio', { ...external, options: dealStages }),
    ...define('pipeline', 'enumeration', 'select', { ...external, options: [dealPipeline] }),
    ...define('closedate', 'datetime', 'date'),
    ...define('dealtype', 'enumeration', 'radio', { options: words('newbusiness existingbusiness') }),
    ...define('hs_priority', 'enumeration', 'select', { options: words('low medium high') }),
    ...define('description closed_lost_reason closed_won_reason hs_next_step', 'string', 'textarea'),
    ...define('hubspot_owner_id', 'enumeration', 'select', external),
    ...define('order_number', 'string', 'text', { ...custom, unique: true }),
    ...define('discount_percent', 'number', 'number', custom),
    ...define('contract_signed', 'bool', 'booleancheckbox', custom),
    ...systemProperties,
    ...define('hs_lastmodifieddate', 'datetime', 'date', readOnly),
    ...define('hs_is_closed hs_is_closed_won', 'bool', 'booleancheckbox', readOnly),
    ...define('days_to_close num_associated_contacts', 'number', 'number', readOnly),
  ],
  required: ['dealname'],
  computed: {
    ...systemValues,
    hs_lastmodifieddate: (deal) => deal.updatedAt,
    hs_is_closed: (deal) => isStage(deal, ['closedwon', 'closedlost']),
    hs_is_closed_won: (deal) => isStage(deal, ['closedwon']),
    pipeline: (deal) => deal.fields.pipeline ?? dealPipeline,
  },
  alwaysShown: ['createdate', 'hs_lastmodifieddate', 'hs_object_id'],
  shownByDefault: ['amount', 'closedate', 'dealname', 'dealstage', 'pipeline'],
  shownAfterUpdate: words('hs_is_closed hs_object_source hs_object_source_id hs_object_source_label pipeline'),
  searched: words('dealname description hs_object_id'),
});

export const objectTypes: readonly ObjectType[] = [contacts, companies, deals];

/** An object type under any of its names: `contacts`, `contact`, `0-1`, in any case. */
export function findObjectType(name: string): ObjectType | undefined {
  const wanted = name.toLowerCase();
  return objectTypes.find((type) => [type.name, type.singular, type.typeId].includes(wanted));
}

/** As `findObjectType`; unknown is a 400, which is recorded without a category. */
export function getObjectType(name: string): ObjectType {
  const found = findObjectType(name);
  if (found) return found;
  throw new HubspotError(400, { message: `Unable to infer object type from: ${name}` });
}

/** A type of link in one direction. */
export interface AssociationType {
  readonly id: number;
  readonly name: string;
  /** Type ids of the two objects. */
  readonly from: string;
  readonly to: string;
  /** The same link from the other side. */
  readonly inverseId: number;
  /** Shown to people; null for a plain link. */
  readonly label: string | null;
}

/** HubSpot's own types of link, which every account has. Plain types before primary ones. Source: docs/contributing/providers.md, A4. */
export const associationTypes: readonly AssociationType[] = [
  ...bothWays([279, 'contact_to_company_unlabeled', contacts], [280, 'company_to_contact_unlabeled', companies], null),
  ...bothWays([1, 'contact_to_company', contacts], [2, 'company_to_contact', companies], 'Primary'),
  ...bothWays([4, 'contact_to_deal', contacts], [3, 'deal_to_contact', deals], null),
  ...bothWays([341, 'deal_to_company_unlabeled', deals], [342, 'company_to_deal_unlabeled', companies], null),
  ...bothWays([5, 'deal_to_company', deals], [6, 'company_to_deal', companies], 'Primary'),
];

type Side = readonly [id: number, name: string, from: ObjectType];

function bothWays(one: Side, other: Side, label: string | null): AssociationType[] {
  const direction = ([id, name, from]: Side, [inverseId, , to]: Side): AssociationType => {
    return { id, name, from: from.typeId, to: to.typeId, inverseId, label };
  };
  return [direction(one, other), direction(other, one)];
}

const associationTypesById = new Map(associationTypes.map((type) => [type.id, type]));

/** The type of link with this number, when links of it begin at `from` (and end at `to`, when given). */
export function findAssociationType(id: number, from: ObjectType, to?: ObjectType): AssociationType | undefined {
  const found = associationTypesById.get(id);
  return found?.from === from.typeId && (to === undefined || found.to === to.typeId) ? found : undefined;
}

export function getAssociationType(id: number): AssociationType | undefined {
  return associationTypesById.get(id);
}

/** The plain type between two objects; undefined between those that HubSpot links only by labels of the customer. */
export function defaultAssociationType(from: ObjectType, to: ObjectType): AssociationType | undefined {
  return associationTypes.find((type) => type.from === from.typeId && type.to === to.typeId);
}
