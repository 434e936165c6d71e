import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DependencyError } from '@sluice/errors';
import { runContainer } from './container-engine';
import { findProgram } from './find-program';
import type { Requirement } from './install-missing';
import { launchService, type LaunchOptions } from './launch-service';
import { askPort } from './ports';
import { retryWhenPortIsTaken, takePort } from './remembered-port';
import { endRuntime, isAlive, startFailure } from './runtime';
import type { ServiceStarter, StartContext } from './service-starter';
import { spawnDetached } from './spawn-detached';
import type { Runtime, StartedService } from './stack-state';
import { waitUntil } from './wait-until';

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

async function startRedis(context: StartContext, remember: (service: StartedService) => void): Promise<StartedService> {
  const port = await takePort(context.book, 'redis');
  const folder = join(context.dataDir, 'redis');
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, 'redis.log');
  const runtime = await launch({ port, folder, logFile }, context);
  const service: StartedService = { runtime, port, url: `redis://127.0.0.1:${port}/0` };
  remember(service);
  await waitUntil(async () => !(await isAlive(runtime)) || (await redisStarter.answers(service)), {
    withinMs: startMs,
  });
  if ((await isAlive(runtime)) && (await redisStarter.answers(service))) return service;
  const detail = await startFailure('Redis', runtime, logFile);
  await redisStarter.stop(service);
  throw new DependencyError({ code: 'service.unavailable', detail });
}

interface RedisPlace {
  readonly port: number;
  readonly folder: string;
  readonly logFile: string;
}

function launch({ port, folder, logFile }: RedisPlace, context: StartContext): Promise<Runtime> {
  const { env, dataDir } = context;
  // Inside, the host is a stranger; the port is published on 127.0.0.1 only.
  const command = ['redis-server', '--protected-mode', 'no', ...volatile];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no', ...volatile];
  const ways: LaunchOptions = {
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
  };
  return launchService(ways, context);
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
