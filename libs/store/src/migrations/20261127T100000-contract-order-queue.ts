import type { Migration } from '../migration';

/**
 * The order of writes to one provider record stands in a narrow row of its own, from the accept to the end, so that no update and no delete writes its record again
 * (ADR 31). As the most changed table it is vacuumed as early as calls are.
 */
export const orderQueue: Migration = {
  name: '20261127T100000-contract-order-queue',
  up: async (knex) => {
    await knex.raw(`
      create table order_queue (
        project_id text not null,
        order_key text not null,
        accept_seq bigint not null,
        record_index integer not null,
        operation_id text not null,
        primary key (project_id, order_key, accept_seq, record_index)
      ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_limit = 1000,
              autovacuum_analyze_scale_factor = 0.02,
              -- It is empty now and then: giving its pages back would lock everybody out for a moment.
              vacuum_truncate = false);
      insert into order_queue select project_id, order_key, accept_seq, record_index, operation_id from records
      where order_key is not null and holds_order;
      -- Until then the provider may apply a write that it did not answer.
      create table barriers (
        project_id text not null,
        order_key text not null,
        operation_id text not null,
        record_index integer not null,
        until timestamptz not null,
        primary key (project_id, order_key, operation_id, record_index)
      );
      insert into barriers select project_id, order_key, operation_id, record_index, barrier_until from records
      where order_key is not null and barrier_until > now();
      create index barriers_until on barriers (until);
      drop index records_order, records_barrier;
      alter table records drop column holds_order, drop column barrier_until;
    `);
  },
};
