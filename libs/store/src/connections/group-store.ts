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

/** A group, as a person knows it. */
export interface NamedGroup {
  readonly groupRef: string;
  readonly groupName: string;
}

/** Text after which no text that begins so comes, in the order of code points. */
const last = '\u{10ffff}';

const begins = (column: string): string => `
  select group_ref, group_name from groups where project_id = :projectId
    and lower(${column}) collate "C" >= lower(:beginning) and lower(${column}) collate "C" < lower(:beginning) || :last
    and (:only::text is null or group_ref = :only) order by lower(${column}) collate "C" limit :limit`;

/**
 * Groups whose ref or name begins with the text, in whatever letters; the shortest refs first. Two ranges of an index.
 * @param only nothing but this group
 */
export async function findGroupsNamed(
  database: Knex,
  projectId: string,
  { text, limit, only = null }: { readonly text: string; readonly limit: number; readonly only?: string | null },
): Promise<NamedGroup[]> {
  const { rows } = await database.raw<{ rows: { group_ref: string; group_name: string }[] }>(
    `select distinct group_ref, group_name, length(group_ref) as size from ((${begins('group_ref')}) union all (${begins('group_name')})) g
     order by size, group_ref limit :limit`,
    { projectId, beginning: text, last, limit, only },
  );
  return rows.map(({ group_ref: groupRef, group_name: groupName }) => ({ groupRef, groupName }));
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
