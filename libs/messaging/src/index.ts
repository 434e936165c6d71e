export type { Consumer, ConsumeOptions, Messaging, MessagingOptions, Stall } from './messaging';
export { orphanMessages } from './messaging-counters';
export { announce, partitionKey, topics, type Announcer, type KeyedWrite, type Topic } from './topics';
export { createKafkaMessaging, type KafkaMessagingOptions } from './kafka/kafka-messaging';
export {
  createInProcessHub,
  createInProcessMessaging,
  type InProcessHub,
  type InProcessMessagingOptions,
} from './in-process-messaging';
