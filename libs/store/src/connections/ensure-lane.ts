import { DefectError } from '@sluice/errors';
import type { Knex } from 'knex';
import { newId } from '../new-id';

/** One provider account as a project sees it. */
export interface LaneAccount {
  readonly projectId: string;
  readonly provider: string;
  /** The account's own reference as the provider reported it, or `connection:<id>` when it reports none. */
  readonly accountRef: string;
}

/** The id of the account's lane, made when it is new. Two connections to one account share a lane and its quota. */
export async function ensureLane(database: Knex, account: LaneAccount): Promise<string> {
  const key = { project_id: account.projectId, provider: account.provider, account_ref: account.accountRef };
  await database('lanes')
    .insert({ ...key, id: newId() })
    .onConflict(['project_id', 'provider', 'account_ref'])
    .ignore();
  // A statement of its own: it sees a row that another transaction committed while the insert waited for it.
  const row = await database<{ id: string }>('lanes').where(key).select('id').first();
  if (row === undefined) {
    throw new DefectError({ code: 'service.defect', detail: 'A lane that was just made is not there.' });
  }
  return row.id;
}
