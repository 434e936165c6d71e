import type { Knex } from 'knex';
import { optional, plain } from './table';

/** Who made a row, beside the other members of its resource. */
export const authorMembers = {
  createdBy: optional(plain('created_by')),
  createdByLabel: optional(plain('created_by_label')),
};

/** Selects what the key of an author is called, while there is one: `created_by` names it as `builder:<id>`. */
export const labelOfAuthor = (database: Knex, table: string) =>
  database.raw(
    `(select k.label from api_keys k where k.project_id = ??.project_id and k.id = substr(??.created_by, 9)) as created_by_label`,
    [table, table],
  );
