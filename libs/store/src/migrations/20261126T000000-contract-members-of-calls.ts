import type { Migration } from '../migration';

/**
 * Which records a call has, and from when their retry times count, stands in the call: its seal and its division write no record (ADR 31).
 * `members` of null: all records of the operation.
 */
export const membersOfCalls: Migration = {
  name: '20261126T000000-contract-members-of-calls',
  up: async (knex) => {
    await knex.raw(`
      alter table calls add column members integer[], add column base_at timestamptz, add column deadline timestamptz;
      update calls c set members = p.members, base_at = p.base_at, deadline = p.deadline
      from (
        select k.project_id, k.operation_id, k.number, min(k.created_at) over operation as base_at, r.deadline,
               case when count(*) over operation > 1 then coalesce(r.members, '{}') end as members
        from calls k
        left join (
          select project_id, operation_id, call_number, array_agg(record_index order by record_index) as members,
                 min(retry_until) filter (where outcome = 'pending') as deadline
          from records where call_number is not null group by 1, 2, 3) r
          on r.project_id = k.project_id and r.operation_id = k.operation_id and r.call_number = k.number
        window operation as (partition by k.project_id, k.operation_id)) p
      where c.project_id = p.project_id and c.operation_id = p.operation_id and c.number = p.number;
      alter table calls alter column base_at set not null, alter column base_at set default now();
      -- Scaled, and 0 for a synchronous write: the moment until which it was tried again stays the same.
      update records r set retry_ms = greatest(0, round(extract(epoch from r.retry_until - c.base_at) * 1000)::bigint)
      from calls c
      where c.project_id = r.project_id and c.operation_id = r.operation_id and c.number = r.call_number
        and r.retry_until <> c.base_at + make_interval(secs => r.retry_ms / 1000.0);
      drop index records_deadline;
      alter table records drop column call_number, drop column retry_until;
      create index calls_deadline on calls (deadline) where state in ('ready', 'in_doubt');
    `);
  },
};
