import { usernameOf } from './identity';
import type { StoredRecord } from './stored-record';

/** When every imitated org was opened. */
const OPENED_AT = '2026-01-01T00:00:00.000Z';

/** What an org has before anything is written to it: itself, and the user that writes. */
export function firstRecords(org: {
  readonly name: string;
  readonly orgId: string;
  readonly userId: string;
}): StoredRecord[] {
  const common = { number: 1, createdAt: OPENED_AT, updatedAt: OPENED_AT, isDeleted: false };
  const email = usernameOf(org.name);
  const person = { LastName: 'User', FirstName: 'Integration', Name: 'Integration User', Alias: 'integ' };
  const organization = { Name: org.name, InstanceName: 'AK0', OrganizationType: 'Developer Edition', IsSandbox: false };
  return [
    { ...common, id: org.orgId, type: 'Organization', fields: organization },
    { ...common, id: org.userId, type: 'User', fields: { ...person, Username: email, Email: email, IsActive: true } },
  ];
}
