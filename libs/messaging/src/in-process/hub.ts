import type { Topic } from '../topics';
import { HubGroup } from './hub-group';
import { HubPartition } from './hub-partition';

/** What a broker is to processes: the services of one process share one hub. Made by `createInProcessHub`. */
export class InProcessHub {
  private readonly topics = new Map<string, { partitions: HubPartition[]; groups: Map<string, HubGroup> }>();

  append(topic: Topic, key: string, value: string): void {
    const { partitions, groups } = this.topicOf(topic);
    const index = partitionOf(key, partitions.length);
    const partition = partitions[index];
    if (!partition) return;
    partition.append(value);
    for (const group of groups.values()) group.wake(index);
    // Without a group it is kept for the first one, as a broker does.
    const positions = [...groups.values()].map((group) => group.position(index));
    if (positions.length > 0) partition.trim(Math.min(...positions));
  }

  group(topic: Topic, name: string): HubGroup {
    const { partitions, groups } = this.topicOf(topic);
    const group = groups.get(name) ?? new HubGroup(partitions);
    groups.set(name, group);
    return group;
  }

  private topicOf(topic: Topic) {
    const known = this.topics.get(topic.name);
    if (known) return known;
    const partitions = Array.from({ length: topic.partitions }, () => new HubPartition());
    const made = { partitions, groups: new Map<string, HubGroup>() };
    this.topics.set(topic.name, made);
    return made;
  }
}

/** A hub for `createInProcessMessaging`: one per embedded stack. */
export function createInProcessHub(): InProcessHub {
  return new InProcessHub();
}

/** Equal keys get equal partitions; FNV-1a spreads the others. */
function partitionOf(key: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return (hash >>> 0) % partitions;
}
