import type { Migration } from '../migration';

/**
 * What takes records stands in a row per batch key, which a join updates in place; what takes none any more, in `closed_batches` until it is
 * sealed; a cancel that is to be carried out, in `cancels`; where a joining statement put its records, in `flushes`. No index of `operations`
 * names a column that a seal or a success changes (ADR 31).
 */
export const openBatches: Migration = {
  name: '20261125T200000-contract-open-batches',
  up: async (knex) => {
    await knex.raw(`
      create table open_batches (
        project_id text not null,
        installation_id text not null,
        object_name text not null,
        type text not null,
        operation_id text not null,
        connection_id text not null,
        records integer not null,
        plan_bytes integer not null,
        due_at timestamptz not null,
        is_open boolean not null,
        -- What the latest join did, for what it returns: the batch that it filled before it opened this one, and its group with its size.
        previous_id text,
        previous_bytes integer,
        joined_as integer,
        joined_records integer,
        primary key (project_id, installation_id, object_name, type)
      ) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
      create index open_batches_due on open_batches (due_at) where is_open;
      create index open_batches_project on open_batches (project_id) where is_open;

      create table closed_batches (
        project_id text not null,
        operation_id text not null,
        connection_id text not null,
        records integer not null,
        plan_bytes integer not null,
        primary key (project_id, operation_id)
      ) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);

      create table cancels (
        project_id text not null,
        operation_id text not null,
        primary key (project_id, operation_id)
      );

      create table flushes (
        project_id text not null,
        id text not null,
        -- Null: it was given up, and its statement can never commit.
        answers text,
        created_at timestamptz not null default now(),
        primary key (project_id, id)
      );
      create index flushes_age on flushes (created_at);

      insert into open_batches (project_id, installation_id, object_name, type, operation_id, connection_id, records, plan_bytes, due_at, is_open)
        select project_id, installation_id, object_name, type, id, connection_id, records_total, plan_bytes, due_at, true
        from operations where state = 'accumulating' and not is_full and cancel_requested_at is null;
      insert into closed_batches (project_id, operation_id, connection_id, records, plan_bytes)
        select project_id, id, connection_id, records_total, plan_bytes
        from operations where state = 'accumulating' and (is_full or cancel_requested_at is not null);
      insert into cancels (project_id, operation_id)
        select project_id, id from operations where cancel_requested_at is not null and state in ('accumulating', 'queued');

      drop index operations_open_batch, operations_due, operations_full, operations_cancelled, operations_failed;
      alter table operations add column failed_at timestamptz;
      update operations set failed_at = updated_at where state = 'failed';
      update operations set records_total = 0, is_full = false where state = 'accumulating';
      alter table operations drop column plan_bytes;
      create index operations_failed on operations (project_id, id) where failed_at is not null;

      -- Null: the moment of the operation's id.
      alter table records add column accepted_at timestamptz;
      update records set accepted_at = to_timestamp(('x' || translate(left(record_id, 13), '-', ''))::bit(48)::bigint / 1000.0)
        where outcome = 'pending' and record_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7';
      drop index records_record_id;
      -- A record of an auto-batch has no deadline before its seal, and enters then.
      drop index records_deadline;
      create index records_deadline on records (retry_until) where outcome = 'pending' and retry_until is not null;
      alter table records drop column record_id;
    `);
  },
};
