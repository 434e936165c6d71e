import { accessSync, constants, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { runCommand, unavailable } from './processes';

/** The release that is run; kafkajs was tried on it. `STACK_KAFKA` names another. */
export const kafkaVersion = readProcessEnv()['STACK_KAFKA'] ?? '4.3.1';

/** The published POM of Kafka brings no logging binding. */
const dependencies = [
  ['org.apache.kafka', 'kafka_2.13', kafkaVersion],
  ['org.apache.kafka', 'kafka-tools', kafkaVersion],
  ['org.apache.logging.log4j', 'log4j-api', '2.25.2'],
  ['org.apache.logging.log4j', 'log4j-core', '2.25.2'],
  ['org.apache.logging.log4j', 'log4j-slf4j-impl', '2.25.2'],
] as const;

/**
 * The folder of the jars, shared by every checkout of this user. Nothing need be there yet.
 * @param dataDir where they go when the user's cache folder cannot be written
 */
export function kafkaJarFolder(env: NodeJS.ProcessEnv, dataDir: string): string {
  const cache = join(env.XDG_CACHE_HOME ?? join(env.HOME ?? homedir(), '.cache'), 'sluice');
  return join(isWritable(cache) ? cache : join(dataDir, 'cache'), `kafka-${kafkaVersion}`);
}

/** Whether the folder holds the whole release: it appears under its name only when complete. */
export function hasKafkaJars(folder: string): boolean {
  return existsSync(join(folder, `kafka_2.13-${kafkaVersion}.jar`));
}

/**
 * Fetches Apache Kafka with Maven from its repository: about 90 jars, 54 MB.
 * @throws DependencyError with the end of Maven's output
 */
export async function fetchKafkaJars(mvn: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const work = `${folder}.${process.pid}`;
  mkdirSync(work, { recursive: true });
  try {
    writeFileSync(join(work, 'pom.xml'), pom());
    const goal = ['dependency:copy-dependencies', '-DoutputDirectory=jars', '-DincludeScope=runtime'];
    const args = ['-q', '-B', '--strict-checksums', ...goal];
    const result = await runCommand(mvn, args, { cwd: work, env, withinMs: 10 * 60_000 });
    const jars = join(work, 'jars');
    if (result.code !== 0 || !hasKafkaJars(jars)) throw fetchFailure(result.output);
    publish(jars, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function publish(jars: string, folder: string): void {
  try {
    renameSync(jars, folder);
  } catch (error) {
    // Another checkout may have finished first.
    if (!hasKafkaJars(folder)) throw error;
  }
}

function fetchFailure(output: string) {
  const reason = output.trim().split('\n').slice(-6).join('\n');
  const detail = `Apache Kafka ${kafkaVersion} could not be fetched with Maven.\n${reason}`;
  const remedy = 'Set KAFKA_BROKERS to brokers that run, or give Maven a way to its repository (settings.xml).';
  return unavailable(detail, { remedy });
}

function pom(): string {
  const list = dependencies.map(
    ([group, artifact, version]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  );
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sluice</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    ${list.join('\n    ')}
  </dependencies>
</project>
`;
}

function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
