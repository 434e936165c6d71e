import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DependencyError } from '@sluice/errors';
import { chooseSource, type Source } from './choose-source';
import { runContainer } from './container-engine';
import { findProgram } from './find-program';
import type { Requirement } from './install-missing';
import { askPort } from './ports';
import { retryWhenPortIsTaken, startFailure, takePort } from './remembered-port';
import { endRuntime, isAlive } from './runtime';
import type { ServiceStarter, StartContext } from './service-starter';
import { spawnDetached } from './spawn-detached';
import type { Runtime, StartedService } from './stack-state';
import { waitUntil } from './wait-until';

const image = 'docker.io/library/redis:7.2';
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
  const requirements = [redisServer(context.env)];
  const about = { name: 'redis', service: 'Redis', variable: 'REDIS_URL', image, requirements } as const;
  const source = await chooseSource(about, context);
  const port = await takePort(context.book, 'redis');
  const folder = join(context.dataDir, 'redis');
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, 'redis.log');
  const runtime = await launch(source, { port, folder, logFile, context });
  const service: StartedService = { runtime, port, url: `redis://127.0.0.1:${port}/0` };
  remember(service);
  await waitUntil(async () => !(await isAlive(runtime)) || (await redisStarter.answers(service)), { withinMs: 15_000 });
  if ((await isAlive(runtime)) && (await redisStarter.answers(service))) return service;
  await redisStarter.stop(service);
  throw new DependencyError({ code: 'service.unavailable', detail: startFailure('Redis', logFile) });
}

interface RedisPlace {
  readonly port: number;
  readonly folder: string;
  readonly logFile: string;
  readonly context: StartContext;
}

async function launch(source: Source, { port, folder, logFile, context }: RedisPlace): Promise<Runtime> {
  const { env, dataDir } = context;
  if (source.origin === 'container') {
    const command = ['redis-server', ...volatile];
    const { engine } = source;
    return runContainer({ engine, dataDir, service: 'redis', image, port, portInside: 6379, command }, env);
  }
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no', ...volatile];
  const program = source.programs[0] ?? 'redis-server';
  return { origin: 'program', process: await spawnDetached({ program, argv0: 'redis-server', args, env, logFile }) };
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
