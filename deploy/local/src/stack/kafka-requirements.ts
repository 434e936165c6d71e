import { findProgram } from './find-program';
import type { Requirement } from './install-missing';
import { runCommand } from './run-command';

/** The oldest Java that Kafka 4 runs on. */
const oldestJava = 17;

/** Java, and Maven as long as the jars are not there. */
export function kafkaRequirements(env: NodeJS.ProcessEnv, hasJars: boolean): Requirement[] {
  return hasJars ? [java(env)] : [java(env), maven(env)];
}

function java(env: NodeJS.ProcessEnv): Requirement {
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

function maven(env: NodeJS.ProcessEnv): Requirement {
  return { label: 'mvn', packages: ['maven'], find: async () => findProgram('mvn', env) };
}
