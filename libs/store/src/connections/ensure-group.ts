import type { Knex } from 'knex';

/** Makes the group when it is new; its name defaults to the ref. A given name replaces the stored one. */
export async function ensureGroup(
  database: Knex,
  group: { readonly projectId: string; readonly groupRef: string; readonly groupName?: string },
): Promise<void> {
  await database.raw(
    `insert into groups (project_id, group_ref, group_name) values (:projectId, :groupRef, :name)
     on conflict (project_id, group_ref) do update set group_name = :given, updated_at = now()
       where :given::text is not null and groups.group_name <> :given`,
    {
      projectId: group.projectId,
      groupRef: group.groupRef,
      name: group.groupName ?? group.groupRef,
      given: group.groupName ?? null,
    },
  );
}

/** Makes the consumer when it is new; its name defaults to the ref. A given name replaces the stored one. */
export async function ensureConsumer(
  database: Knex,
  consumer: { readonly projectId: string; readonly consumerRef: string; readonly consumerName?: string },
): Promise<void> {
  await database.raw(
    `insert into consumers (project_id, consumer_ref, consumer_name) values (:projectId, :consumerRef, :name)
     on conflict (project_id, consumer_ref) do update set consumer_name = :given, updated_at = now()
       where :given::text is not null and consumers.consumer_name <> :given`,
    {
      projectId: consumer.projectId,
      consumerRef: consumer.consumerRef,
      name: consumer.consumerName ?? consumer.consumerRef,
      given: consumer.consumerName ?? null,
    },
  );
}
