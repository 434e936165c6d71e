import type { Messaging, MessagingOptions } from '../messaging';
import { MessagingPipeline, type Broker } from '../pipeline';
import { topics, type Topic } from '../topics';
import type { InProcessHub } from './hub';

export interface InProcessMessagingOptions extends MessagingOptions {
  /** Shared by the services that exchange messages. */
  readonly hub: InProcessHub;
}

/** Messaging for services that share a process: no broker, no network, nothing survives the process. */
export function createInProcessMessaging(options: InProcessMessagingOptions): Messaging {
  return new MessagingPipeline(options, hubBroker(options.hub));
}

const topicsByName: ReadonlyMap<string, Topic> = new Map(Object.values(topics).map((topic) => [topic.name, topic]));

function hubBroker(hub: InProcessHub): Broker {
  let isOpen = true;
  return {
    openTransport: () => ({
      isUp: () => isOpen,
      send: async (messages) => {
        for (const { topic, key, value } of messages) {
          const known = topicsByName.get(topic);
          if (known) hub.append(known, key, value);
        }
      },
    }),
    join: ({ topic, group }, deliveryOf) => hub.group(topic, group).join(deliveryOf),
    createTopics: async () => {},
    answers: async () => isOpen,
    check: async () => undefined,
    close: async () => {
      isOpen = false;
    },
  };
}
