import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  launchService,
  type Remember,
  type Requirement,
  type ServiceStarter,
  type StartContext,
  whenAnswering,
} from './launch-service';
import { askPort, retryWhenPortIsTaken, takePort } from './ports';
import { findProgram, spawnDetached } from './processes';
import { endRuntime, runContainer } from './runtime';
import type { StartedService } from './stack-state';

const image = 'docker.io/library/redis:7.2';
/** Longest that it may take to answer, in milliseconds. One that has ended is not waited for. */
const startMs = 120_000;
/** Redis only hints: nothing is written to disk, a restart begins empty. */
const volatile = ['--save', '', '--appendonly', 'no'];

/** Redis as a child of its own session, or in a container. */
export const redisStarter: ServiceStarter = {
  name: 'redis',
  start: (context, remember) => retryWhenPortIsTaken(context.book, ['redis'], () => startRedis(context, remember)),
  answers: async ({ port }) => {
    const reply = await askPort(port, Buffer.from('PING\r\n'), { isComplete: (bytes) => bytes.includes('\r\n') });
    return reply?.toString() === '+PONG\r\n';
  },
  stop: ({ runtime }) => endRuntime(runtime, ['SIGTERM']),
};

async function startRedis(context: StartContext, remember: Remember): Promise<StartedService> {
  const port = await takePort(context.book, 'redis');
  const { env, dataDir } = context;
  const folder = join(dataDir, 'redis');
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, 'redis.log');
  // Inside, the host is a stranger; the port is published on 127.0.0.1 only.
  const command = ['redis-server', '--protected-mode', 'no', ...volatile];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no', ...volatile];
  const runtime = await launchService(
    {
      name: 'redis',
      service: 'Redis',
      variable: 'REDIS_URL',
      image,
      requirements: [redisServer(env)],
      inContainer: (engine) =>
        runContainer({ engine, dataDir, service: 'redis', image, port, portInside: 6379, command }, env),
      asProgram: async ([program = 'redis-server']) => ({
        origin: 'program',
        process: await spawnDetached({ program, argv0: 'redis-server', args, env, logFile }),
      }),
    },
    context,
  );
  const service = { runtime, port, url: `redis://127.0.0.1:${port}/0` };
  remember(service);
  return await whenAnswering(redisStarter, service, { label: 'Redis', logFile, withinMs: startMs });
}

/**
 * Debian's `redis-tools` has the server too, under another name (`redis-server` there is a link to it): the program
 * goes by the name it is called. So no package is installed that brings a system service of its own.
 */
function redisServer(env: NodeJS.ProcessEnv): Requirement {
  return {
    label: 'redis-server',
    packages: ['redis-tools', 'redis-server'],
    find: async () => findProgram('redis-server', env) ?? findProgram('redis-check-rdb', env),
  };
}
