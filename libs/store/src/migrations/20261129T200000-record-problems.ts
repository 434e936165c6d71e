import type { Migration } from '../migration';

/** What the provider found wrong with each record, by field, beside the text. Records that ended before have none: their text is all. */
export const recordProblems: Migration = {
  name: '20261129T200000-record-problems',
  up: async (knex) => {
    await knex.raw(`
  -- Each a list as JSON, null where the text is all.
  alter table outcomes add column problems text[];`);
  },
};

/** A step of its own: whoever reads the view locks it before the table. */
export const shownProblems: Migration = {
  name: '20261129T200100-shown-problems',
  up: async (knex) => {
    await knex.raw(`
  create or replace view record_outcomes as
  select o.project_id, o.operation_id, e.record_index, o.call_number, o.fence, o.outcome, o.ended_at, e.provider_id, e.error_class,
         e.error_text, e.warnings, e.problems
  from outcomes o cross join unnest(o.record_indexes, o.provider_ids, o.error_classes, o.error_texts, o.warnings, o.problems)
    as e (record_index, provider_id, error_class, error_text, warnings, problems);`);
  },
};
