import type { Knex } from 'knex';
import { optional, plain } from './table';

/** Who made a row, beside the other members of its resource. */
export const authorMembers = {
  createdBy: optional(plain('created_by')),
  createdByLabel: optional(plain('created_by_label')),
};

/** Selects what an author is called. `created_by` is `builder:<id>` of an API key or a person, or `consumer:<ref>`. */
export const labelOfAuthor = (database: Knex, table: string) =>
  database.raw(
    `coalesce(
      (select k.label from api_keys k where k.project_id = ??.project_id and k.id = substr(??.created_by, 9)),
      (select p.name from people p where p.id = substr(??.created_by, 9)),
      (select u.consumer_name from consumers u
       where u.project_id = ??.project_id and ??.created_by like 'consumer:%' and u.consumer_ref = substr(??.created_by, 10))
    ) as created_by_label`,
    [table, table, table, table, table, table],
  );
