import type { Migration } from '../migration';

/**
 * What is promised: operations (what a caller tracks), calls (what an executor claims), records (what has an outcome),
 * attempts (what was sent). Payloads are text, because jsonb refuses \u0000 and rewrites numbers.
 * Few indexes, on living rows where possible: five entries per accept instead of seven made accepting a third faster
 *.
 */
export const createOperations: Migration = {
  name: '20261120T100200-create-operations',
  up: async (knex) => {
    await knex.raw(`
      -- Accept order. Cache 1: values are drawn in the order of the inserts, also across processes.
      create sequence accept_seq cache 1;

      create table operations (
        project_id text not null,
        id text not null,
        integration_id text not null,
        installation_id text not null,
        config_id text not null,
        connection_id text not null,
        lane_id text not null,
        object_name text not null,
        type text not null,
        mode text not null,
        state text not null,
        result text,
        due_at timestamptz,
        is_full boolean not null default false,
        records_total integer not null default 0,
        records_succeeded integer not null default 0,
        records_failed integer not null default 0,
        calls_open integer not null default 0,
        cancel_requested_at timestamptz,
        traceparent text not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (project_id, id)
      );
      -- One open batch per key. The join uses this very predicate to find its row.
      create unique index operations_open_batch on operations (project_id, installation_id, object_name, type)
        where state = 'accumulating' and not is_full and cancel_requested_at is null;
      create index operations_due on operations (due_at) where state = 'accumulating';
      create index operations_full on operations (project_id) where state = 'accumulating'
        and (is_full or cancel_requested_at is not null);
      create index operations_installation on operations (project_id, installation_id, id);

      create table calls (
        project_id text not null,
        operation_id text not null,
        number integer not null,
        lane_id text not null,
        connection_id text not null,
        object_name text not null,
        type text not null,
        mode text not null,
        state text not null,
        not_before timestamptz not null default now(),
        sent_at timestamptz,
        attempts integer not null default 0,
        crash_count integer not null default 0,
        fence bigint not null default 0,
        lease_until timestamptz,
        owner text,
        all_or_none boolean not null default false,
        traceparent text not null,
        created_at timestamptz not null default now(),
        primary key (project_id, operation_id, number)
      );
      create index calls_ready on calls (project_id, lane_id, not_before) where state in ('ready', 'in_doubt');
      create index calls_running on calls (lease_until) where state = 'running';
      create index calls_waiting on calls (project_id, lane_id) where state = 'waiting';
      create index calls_isolated on calls (not_before) where crash_count >= 2 and state in ('ready', 'in_doubt');

      create table records (
        project_id text not null,
        operation_id text not null,
        record_index integer not null,
        call_number integer,
        record_id text,
        ref text,
        accept_seq bigint not null,
        lane_id text not null,
        connection_id text not null,
        object_name text not null,
        type text not null,
        order_key text,
        barrier_until timestamptz,
        replayed_by text,
        traceparent text not null,
        config_id text not null,
        headers_key text not null default '',
        plan text,
        retry_until timestamptz,
        retry_ms bigint not null,
        send_state text not null default 'none',
        first_sent_at timestamptz,
        fingerprint text,
        outcome text not null default 'pending',
        provider_id text,
        claimed_provider_id text,
        error_class text,
        error_text text,
        warnings text[],
        updated_at timestamptz,
        primary key (project_id, operation_id, record_index)
      );
      create unique index records_record_id on records (project_id, record_id) where record_id is not null;
      create index records_order on records (project_id, order_key, accept_seq, record_index)
        where order_key is not null and (outcome = 'pending' or barrier_until is not null);
      create index records_barrier on records (barrier_until) where barrier_until is not null;
      create index records_deadline on records (retry_until) where outcome = 'pending';
      create index records_fingerprint on records (project_id, lane_id, object_name, fingerprint)
        where outcome = 'pending' and send_state <> 'none' and fingerprint is not null;
      -- A provider's record belongs to one create at most.
      create unique index records_created on records (project_id, lane_id, object_name, claimed_provider_id)
        where claimed_provider_id is not null;

      create table attempts (
        project_id text not null,
        operation_id text not null,
        call_number integer not null,
        fence bigint not null,
        owner text not null,
        record_indexes integer[] not null,
        sent_at timestamptz not null,
        finished_at timestamptz,
        status integer,
        provider_request_id text,
        error_class text,
        error_text text,
        duration_ms integer,
        late_evidence text,
        primary key (project_id, operation_id, call_number, fence)
      );
    `);
  },
};
