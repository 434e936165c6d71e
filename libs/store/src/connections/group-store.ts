import type { Knex } from 'knex';

interface Person {
  readonly projectId: string;
  readonly ref: string;
  /** Replaces the stored one. @default as it is stored; of a new one the ref */
  readonly name?: string | undefined;
}

/** Makes the group or the consumer when it is new. */
export async function ensure(database: Knex, noun: 'group' | 'consumer', person: Person): Promise<void> {
  const { projectId, ref, name } = person;
  await database.raw(
    `insert into ${noun}s (project_id, ${noun}_ref, ${noun}_name) values (:projectId, :ref, :name)
     on conflict (project_id, ${noun}_ref) do update set ${noun}_name = :given, updated_at = now()
       where :given::text is not null and ${noun}s.${noun}_name <> :given`,
    { projectId, ref, name: name ?? ref, given: name ?? null },
  );
}

/** Groups and consumers by themselves; a connection makes those it names. */
export function groupStore(database: Knex) {
  return {
    /** Makes the group, or gives the one of this ref the name. */
    putGroup: (group: { projectId: string; groupRef: string; groupName: string }): Promise<void> =>
      ensure(database, 'group', { projectId: group.projectId, ref: group.groupRef, name: group.groupName }),
    /** Makes the consumer, or gives the one of this ref the name. */
    putConsumer: (consumer: { projectId: string; consumerRef: string; consumerName: string }): Promise<void> =>
      ensure(database, 'consumer', { ...consumer, ref: consumer.consumerRef, name: consumer.consumerName }),
  };
}
