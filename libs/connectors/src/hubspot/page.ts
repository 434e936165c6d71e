import { signalRows, type ProviderPage } from '../provider-page';
import { capabilityFacts } from './capability-facts';
import { errorTable, successTable } from './error-table';
import { itemTable, unanswered } from './item-table';
import { tokenTable } from './token-failures';

/** Everything about HubSpot that is printed. */
export const hubspotPage: ProviderPage = {
  provider: 'hubspot',
  title: 'HubSpot',
  capabilities: capabilityFacts,
  tables: [
    {
      title: 'What a call ends with',
      lead: `The first row that matches decides. \`unavailable\` and \`quota\`: certainly not applied. \`unknown\` and \`timeout\`: may have been applied; for reads
\`unknown\` counts as \`unavailable\`, and an update or a delete is just tried again. \`Retry-After\` (seconds or a date) is a lower bound; without it a 429 waits 1 s
for \`SECONDLY\`, 10 s for \`TEN_SECONDLY_ROLLING\`, 15 min for \`DAILY\`. A \`conflict\` of a create that was sent before is looked for first.`,
      rows: signalRows(successTable, errorTable),
    },
    {
      title: 'What a batch reply of 2xx says of one record',
      lead: 'By the category of an item of `errors[]`. A record that stands in the results was written, whatever else is said of it.',
      rows: signalRows([], [...itemTable, ...Object.values(unanswered)]),
    },
    {
      title: 'What the token endpoint ends with',
      lead: `For a refresh and for the exchange of a code. The HTTP status stands over the body, \`error\` over \`status\`. \`credentials\`: the customer's grant is gone.
\`rejected\`: the app is refused, which says nothing of any customer.`,
      rows: signalRows([], tokenTable),
    },
  ],
};
