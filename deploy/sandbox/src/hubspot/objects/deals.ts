import type { CrmRecord } from '../crm-record';
import { objectType, sourceOfRecords } from './object-type';
import { define, systemProperties, words } from './property-definition';

/** The stages of HubSpot's one pipeline at the start, in order. */
export const dealStages = words(
  'appointmentscheduled qualifiedtobuy presentationscheduled decisionmakerboughtin contractsent closedwon closedlost',
);

export const dealPipeline = 'default';

const writable = [
  ...define('dealname', 'string', 'text'),
  ...define('amount', 'number', 'number'),
  ...define('dealstage', 'enumeration', 'radio', { options: dealStages, externalOptions: true }),
  ...define('pipeline', 'enumeration', 'select', { options: [dealPipeline], externalOptions: true }),
  ...define('closedate', 'datetime', 'date'),
  ...define('dealtype', 'enumeration', 'radio', { options: words('newbusiness existingbusiness') }),
  ...define('hs_priority', 'enumeration', 'select', { options: words('low medium high') }),
  ...define('description closed_lost_reason closed_won_reason hs_next_step', 'string', 'textarea'),
  ...define('hubspot_owner_id', 'enumeration', 'select', { externalOptions: true }),
];

const customerMade = [
  ...define('order_number', 'string', 'text', { unique: true, custom: true }),
  ...define('discount_percent', 'number', 'number', { custom: true }),
  ...define('contract_signed', 'bool', 'booleancheckbox', { custom: true }),
];

const readOnly = [
  ...systemProperties,
  ...define('hs_lastmodifieddate', 'datetime', 'date', { readOnly: true }),
  ...define('hs_is_closed hs_is_closed_won', 'bool', 'booleancheckbox', { readOnly: true }),
  ...define('days_to_close num_associated_contacts', 'number', 'number', { readOnly: true }),
];

const isStage = (deal: CrmRecord, stages: readonly string[]): string =>
  String(stages.includes(deal.properties.dealstage ?? ''));

export const deals = objectType({
  name: 'deals',
  singular: 'deal',
  typeId: '0-3',
  properties: [...writable, ...customerMade, ...readOnly],
  required: ['dealname'],
  computed: {
    ...sourceOfRecords,
    hs_lastmodifieddate: (deal) => deal.updatedAt.toISOString(),
    hs_is_closed: (deal) => isStage(deal, ['closedwon', 'closedlost']),
    hs_is_closed_won: (deal) => isStage(deal, ['closedwon']),
    pipeline: (deal) => deal.properties.pipeline ?? dealPipeline,
  },
  alwaysShown: ['createdate', 'hs_lastmodifieddate', 'hs_object_id'],
  shownByDefault: ['amount', 'closedate', 'dealname', 'dealstage', 'pipeline'],
  shownAfterUpdate: words('hs_is_closed hs_object_source hs_object_source_id hs_object_source_label pipeline'),
  searched: words('dealname description hs_object_id'),
});
