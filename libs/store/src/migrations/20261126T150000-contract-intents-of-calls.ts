import type { Migration } from '../migration';

/**
 * What is being sent stands in its call, and an attempt is inserted once: when it is answered, or when its call is taken from its sender (ADR 31).
 * `sent_members` of null: the call is not being sent.
 */
export const intentsOfCalls: Migration = {
  name: '20261126T150000-contract-intents-of-calls',
  up: async (knex) => {
    await knex.raw(`
      -- The fingerprints of creates are in the order of sent_members.
      alter table calls add column sent_members integer[], add column sent_fingerprints text[];
      with unanswered as (
        delete from attempts a using calls c
        where c.project_id = a.project_id and c.operation_id = a.operation_id and c.number = a.call_number and c.fence = a.fence
          and c.state = 'running' and a.finished_at is null
        returning a.*)
      update calls c set sent_members = a.record_indexes, sent_fingerprints = a.fingerprints, sent_at = a.sent_at
      from unanswered a
      where c.project_id = a.project_id and c.operation_id = a.operation_id and c.number = a.call_number;
      alter table attempts drop column fingerprints;
      -- Only a late reply changes one.
      alter table attempts reset (fillfactor);
      create view sent_attempts as
      select project_id, operation_id, call_number, fence, owner, record_indexes, sent_at, finished_at, status, provider_request_id,
             error_class, error_text, duration_ms, late_evidence
      from attempts
      union all
      select project_id, operation_id, number, fence, owner, sent_members, sent_at, null, null, null, null, null, null, null
      from calls where sent_members is not null;
    `);
  },
};
