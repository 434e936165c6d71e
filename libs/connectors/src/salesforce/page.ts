import { signalRows, type ProviderPage } from '../provider-page';
import { capabilityFacts } from './capability-facts';
import { errorTable, successTable } from './error-table';
import { untold } from './outcome-table';
import { tokenTable } from './token-call';

/** Everything about Salesforce that is printed. */
export const salesforcePage: ProviderPage = {
  provider: 'salesforce',
  title: 'Salesforce',
  capabilities: capabilityFacts,
  tables: [
    {
      title: 'What a call, or one record inside a 2xx, ends with',
      lead: `The first row that matches decides: the transport, then the error's code, then the status; a record inside a 2xx has a code only. Of several errors in
one reply one that will not go away decides. \`unavailable\` and \`quota\`: certainly not applied. \`unknown\` and \`timeout\`: may have been applied; for reads
\`unknown\` counts as \`unavailable\`, and an update or a delete is just tried again. \`ALL_OR_NONE_OPERATION_ROLLED_BACK\` and \`PROCESSING_HALTED\` have the class of
the record that is the cause. A \`conflict\` of a create that was sent before is looked for first.`,
      rows: signalRows(successTable, errorTable),
    },
    {
      title: 'What a 2xx says of one record without a code',
      lead: '`success: true` with an id (of an update: the same record, in 15 or 18 characters) is ok, and so is the empty 204 of an update or a delete.',
      rows: signalRows([], Object.values(untold)),
    },
    {
      title: 'What the token endpoint ends with',
      lead: `For a refresh, the exchange of a code, client credentials and a password. Without a reply: \`timeout\` or \`unavailable\`. The status stands over the body. Of
the connection's own client a refusal is \`credentials\`; of the builder's app it is \`rejected\`, and no connection follows from it.`,
      rows: signalRows([], tokenTable),
    },
  ],
};
