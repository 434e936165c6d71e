import { openDatabase } from '@sluice/store';
import type { World } from './world';

/**
 * Takes one protection away by a trigger in the world's own database, so that no switch for it lies in the services. Each trigger
 * undoes what the protection rests on; the rest of the services runs as it is.
 */
export interface Mutation {
  readonly install: string;
  readonly remove: string;
}

const triggerOn = (table: string, name: string, when: string, body: string): string =>
  `create function mutate_${name}() returns trigger language plpgsql as $$ begin ${body} end $$;
   create trigger mutate_${name} ${when} on ${table} for each row execute function mutate_${name}();`;
const dropFrom = (table: string, name: string): string =>
  `drop trigger mutate_${name} on ${table}; drop function mutate_${name}();`;

/** A claim no longer raises the fence, so a process that lost its lease settles as if it held it. */
export const withoutFence: Mutation = {
  install: `${triggerOn('calls', 'fence', 'before update', 'new.fence := old.fence; return new;')}
    ${triggerOn(
      'attempts',
      'attempt',
      'before insert',
      `delete from attempts where project_id = new.project_id and operation_id = new.operation_id
         and call_number = new.call_number and fence = new.fence; return new;`,
    )}`,
  remove: `${dropFrom('calls', 'fence')} ${dropFrom('attempts', 'attempt')}`,
};

/** A reply that came too late is thrown away. */
export const withoutEvidence: Mutation = {
  install: triggerOn('attempts', 'evidence', 'before update', 'new.late_evidence := null; return new;'),
  remove: dropFrom('attempts', 'evidence'),
};

/** A batch that is closed goes on taking records, as if its closing did not take the lock that joining takes. */
export const withoutClosing: Mutation = {
  install: triggerOn(
    'open_batches',
    'closing',
    `before update of is_open`,
    `if old.is_open and not new.is_open then new.is_open := true; end if; return new;`,
  ),
  remove: dropFrom('open_batches', 'closing'),
};

/** Runs `work` without the protection, which is back afterwards. */
export async function mutated<T>(world: World, mutation: Mutation, work: () => Promise<T>): Promise<T> {
  await run(world, mutation.install);
  try {
    return await work();
  } finally {
    await run(world, mutation.remove);
  }
}

async function run(world: World, sql: string): Promise<void> {
  const database = openDatabase({ url: world.serviceUrl('postgres'), poolMax: 1, applicationName: 'mutation' });
  try {
    await database.raw(sql);
  } finally {
    await database.destroy();
  }
}
