import { objectType, sourceOfRecords } from './object-type';
import { define, systemProperties, words } from './property-definition';

const industries = words(
  `ACCOUNTING AIRLINES_AVIATION AUTOMOTIVE BANKING BIOTECHNOLOGY COMPUTER_SOFTWARE CONSTRUCTION CONSUMER_GOODS
   EDUCATION_MANAGEMENT FINANCIAL_SERVICES HOSPITAL_HEALTH_CARE INFORMATION_TECHNOLOGY_AND_SERVICES INSURANCE INTERNET
   LAW_PRACTICE LOGISTICS_AND_SUPPLY_CHAIN MANAGEMENT_CONSULTING NON_PROFIT_ORGANIZATION_MANAGEMENT RETAIL
   TELECOMMUNICATIONS UTILITIES`,
);
const lifecycleStages = words(
  'subscriber lead marketingqualifiedlead salesqualifiedlead opportunity customer evangelist other',
);

const writable = [
  // The domain is not unique: HubSpot's API stores two companies with one domain.
  ...define('name domain website', 'string', 'text'),
  ...define('address address2 city state zip country timezone founded_year', 'string', 'text'),
  ...define('linkedin_company_page twitterhandle', 'string', 'text'),
  ...define('phone', 'string', 'phonenumber'),
  ...define('description about_us', 'string', 'textarea'),
  ...define('industry', 'enumeration', 'select', { options: industries }),
  ...define('type', 'enumeration', 'select', { options: words('PROSPECT PARTNER RESELLER VENDOR OTHER') }),
  ...define('lifecyclestage', 'enumeration', 'radio', { options: lifecycleStages }),
  ...define('hubspot_owner_id', 'enumeration', 'select', { externalOptions: true }),
  ...define('numberofemployees annualrevenue', 'number', 'number'),
  ...define('is_public', 'bool', 'booleancheckbox'),
];

const customerMade = [
  ...define('account_code', 'string', 'text', { unique: true, custom: true }),
  ...define('support_tier', 'enumeration', 'select', { options: words('basic plus premium'), custom: true }),
  ...define('renewal_date', 'date', 'date', { custom: true }),
];

const readOnly = [
  ...systemProperties,
  ...define('hs_lastmodifieddate', 'datetime', 'date', { readOnly: true }),
  ...define('num_associated_contacts num_associated_deals', 'number', 'number', { readOnly: true }),
];

export const companies = objectType({
  name: 'companies',
  singular: 'company',
  typeId: '0-2',
  properties: [...writable, ...customerMade, ...readOnly],
  required: ['name'],
  computed: {
    ...sourceOfRecords,
    hs_lastmodifieddate: (company) => company.updatedAt.toISOString(),
    lifecyclestage: (company) => company.properties.lifecyclestage ?? 'lead',
  },
  alwaysShown: ['createdate', 'hs_lastmodifieddate', 'hs_object_id'],
  shownByDefault: ['domain', 'name'],
  shownAfterUpdate: words('hs_object_source hs_object_source_id hs_object_source_label lifecyclestage'),
  searched: words('name domain website phone hs_object_id'),
});
