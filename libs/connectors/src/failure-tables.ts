import { signalTable } from './declarative/failure-table';
import * as hubspot from './hubspot/failure-tables';
import * as salesforce from './salesforce/failure-tables';

/** Every failure table: of a call, of one record in a 2xx, and of the token endpoint. Of declared providers: the table of a file, and that of none. */
export const failureTables = {
  hubspot: [hubspot.callTable, [...hubspot.recordTable, ...Object.values(hubspot.unanswered)], hubspot.tokenRows],
  salesforce: [salesforce.callTable, Object.values(salesforce.unanswered), salesforce.tokenRows],
  declared: signalTable,
} as const;
