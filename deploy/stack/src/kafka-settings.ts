/** Ports and folder of the one node that is broker and controller at once. */
export interface KafkaNode {
  readonly port: number;
  readonly controllerPort: number;
  readonly logDir: string;
}

/** One node: whatever has copies elsewhere has one here. Topics are made by their owner, never by a first message. */
const singleNode = {
  'process.roles': 'broker,controller',
  'node.id': '1',
  'controller.listener.names': 'CONTROLLER',
  'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
  'auto.create.topics.enable': 'false',
  'num.partitions': '1',
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '4',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'share.coordinator.state.topic.replication.factor': '1',
  // A broker that was killed may come back only when its old session is over (9 s by default).
  'broker.session.timeout.ms': '4000',
  'broker.heartbeat.interval.ms': '500',
  'share.coordinator.state.topic.min.isr': '1',
  'group.initial.rebalance.delay.ms': '0',
} as const;

/** `server.properties` of a native node. */
export function kafkaProperties({ port, controllerPort, logDir }: KafkaNode): string {
  const listeners = `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`;
  const lines = {
    ...singleNode,
    'controller.quorum.bootstrap.servers': `127.0.0.1:${controllerPort}`,
    listeners,
    'advertised.listeners': listeners,
    // A backslash would begin an escape in this format.
    'log.dirs': logDir.replaceAll('\\', '/'),
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** Environment of the image `apache/kafka`, where every setting is upper case behind `KAFKA_`. */
export function kafkaContainerSettings(port: number): Record<string, string> {
  const lines = {
    ...singleNode,
    'controller.quorum.voters': '1@localhost:9093',
    listeners: 'PLAINTEXT://0.0.0.0:9092,CONTROLLER://localhost:9093',
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
  };
  const entries = Object.entries(lines);
  return Object.fromEntries(
    entries.map(([name, value]) => [`KAFKA_${name.toUpperCase().replaceAll('.', '_')}`, value]),
  );
}

/** `log4j2.xml`: what matters, to standard output. */
export const kafkaLogging = `<Configuration status="WARN">
  <Appenders><Console name="out"><PatternLayout pattern="%d %p %c{1}: %m%n"/></Console></Appenders>
  <Loggers>
    <Logger name="kafka.server.KafkaRaftServer" level="INFO"/>
    <Root level="WARN"><AppenderRef ref="out"/></Root>
  </Loggers>
</Configuration>
`;
