import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchKafkaJars, hasKafkaJars, kafkaJarFolder, kafkaVersion } from './kafka-jars';
import { type Place, type Requirement, starterOf } from './launch-service';
import { askPort, takePort } from './ports';
import { findProgram, runCommand, unavailable } from './processes';

/** Longest that the broker may take to answer, and its storage tool to end, in milliseconds: a JVM's start on a quarter of a core takes a minute. */
const startMs = 300_000;

/** Apache Kafka, one node. */
export const kafkaStarter = starterOf({
  name: 'kafka',
  label: 'Apache Kafka',
  variable: 'KAFKA_BROKERS',
  image: `docker.io/apache/kafka:${kafkaVersion}`,
  startMs,
  // Java, and Maven as long as the jars are not there.
  requirements: ({ env, dataDir }) => {
    const maven = { label: 'mvn', packages: ['maven'], find: async () => findProgram('mvn', env) };
    return hasKafkaJars(kafkaJarFolder(env, dataDir)) ? [javaOf(env)] : [javaOf(env), maven];
  },
  inContainer: (port) => ({ portInside: 9092, settings: kafkaContainerSettings(port) }),
  asProgram: prepareNode,
  url: (port) => `127.0.0.1:${port}`,
  answers: kafkaAnswers,
});

async function prepareNode([java = 'java', mvn = 'mvn']: readonly string[], { folder, port, context }: Place) {
  const { env, dataDir, log, book } = context;
  const jars = kafkaJarFolder(env, dataDir);
  if (!hasKafkaJars(jars)) {
    log(`kafka: Maven fetches Apache Kafka ${kafkaVersion} (54 MB, once) into ${jars}`);
    await fetchKafkaJars(mvn, jars, env);
  }
  const controllerPort = await takePort(book, 'kafkaController');
  const node: KafkaNode = { port, controllerPort, logDir: join(folder, 'data') };
  const logging = join(folder, 'log4j2.xml');
  writeFileSync(logging, kafkaLogging);
  const jvm = ['-Xmx512m', '-XX:+UseSerialGC', `-Dlog4j2.configurationFile=${logging}`, '-cp', join(jars, '*')];
  await formatOnce(folder, node, { java, jvm, env });
  return { program: java, args: [...jvm, 'kafka.Kafka', writeProperties(folder, node)] };
}

/** Gives an empty folder its cluster id. Done aside, so that a start that was cut off leaves nothing half made. */
async function formatOnce(
  folder: string,
  node: KafkaNode,
  { java, jvm, env }: { java: string; jvm: readonly string[]; env: NodeJS.ProcessEnv },
): Promise<void> {
  if (existsSync(join(node.logDir, 'meta.properties'))) return;
  const logDir = `${node.logDir}.new`;
  rmSync(logDir, { recursive: true, force: true });
  rmSync(node.logDir, { recursive: true, force: true });
  const properties = writeProperties(folder, { ...node, logDir });
  // Kafka's ids are 16 bytes in URL-safe base64, and must not look like an option.
  const clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'A');
  const tool = ['kafka.tools.StorageTool', 'format', '--standalone', '-t', clusterId, '-c', properties];
  const result = await runCommand(java, [...jvm, ...tool], { env, withinMs: startMs });
  if (result.code !== 0) {
    throw unavailable(`Kafka's storage could not be formatted.\n${result.output.trim()}`);
  }
  renameSync(logDir, node.logDir);
}

function writeProperties(folder: string, node: KafkaNode): string {
  const file = join(folder, 'server.properties');
  writeFileSync(file, kafkaProperties(node));
  return file;
}

/** Metadata, version 1, about no topic. Source: https://kafka.apache.org/protocol (request header version 1). */
function metadataRequest(): Buffer {
  const body = Buffer.alloc(14);
  body.writeInt16BE(3, 0); // api key: Metadata
  body.writeInt16BE(1, 2); // api version
  body.writeInt32BE(1, 4); // correlation id
  body.writeInt16BE(-1, 8); // no client id
  body.writeInt32BE(0, 10); // no topic
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/**
 * Whether a Kafka broker serves requests at this port of 127.0.0.1: it lists at least itself. One that still starts is
 * fenced, and so not in its own list.
 */
async function kafkaAnswers(port: number): Promise<boolean> {
  const isComplete = (bytes: Buffer) => bytes.length >= 4 && bytes.length >= 4 + bytes.readInt32BE(0);
  const reply = await askPort(port, metadataRequest(), isComplete);
  // Length, correlation id, then the number of brokers.
  return reply !== undefined && reply.length >= 12 && reply.readInt32BE(8) > 0;
}

/** The oldest Java that Kafka 4 runs on. */
const oldestJava = 17;

function javaOf(env: NodeJS.ProcessEnv): Requirement {
  return {
    label: `java ${oldestJava} or later`,
    packages: ['openjdk-17-jre-headless', 'openjdk-21-jre-headless', 'default-jre-headless'],
    find: async () => {
      const program = findProgram('java', env);
      if (program === undefined) return undefined;
      const { output } = await runCommand(program, ['-version'], { env, withinMs: 20_000 });
      const version = /version "(\d+)/.exec(output)?.[1];
      return Number(version) >= oldestJava ? program : undefined;
    },
  };
}

/** Ports and folder of the one node that is broker and controller at once. */
export interface KafkaNode {
  readonly port: number;
  readonly controllerPort: number;
  readonly logDir: string;
}

/** One node, so every topic has one replica. Topics are made by their owner, never by a first message. */
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
const kafkaLogging = `<Configuration status="WARN">
  <Appenders><Console name="out"><PatternLayout pattern="%d %p %c{1}: %m%n"/></Console></Appenders>
  <Loggers>
    <Logger name="kafka.server.KafkaRaftServer" level="INFO"/>
    <Root level="WARN"><AppenderRef ref="out"/></Root>
  </Loggers>
</Configuration>
`;
