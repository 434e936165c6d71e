import type { Knex } from 'knex';
import { ensureConsumer, ensureGroup } from './ensure-group';
import { translated } from '../translate-errors';

/** Groups and consumers by themselves; a connection makes those it names. */
export interface GroupStore {
  /** Makes the group, or gives the one of this ref the name. */
  putGroup(group: { readonly projectId: string; readonly groupRef: string; readonly groupName: string }): Promise<void>;
  /** Makes the consumer, or gives the one of this ref the name. */
  putConsumer(consumer: {
    readonly projectId: string;
    readonly consumerRef: string;
    readonly consumerName: string;
  }): Promise<void>;
}

export function groupStore(database: Knex): GroupStore {
  return translated<GroupStore>({
    putGroup: (group) => ensureGroup(database, group),
    putConsumer: (consumer) => ensureConsumer(database, consumer),
  });
}
