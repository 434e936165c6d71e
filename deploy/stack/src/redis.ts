import { starterOf } from './launch-service';
import { askPort } from './ports';
import { findProgram } from './processes';

/** Redis only hints: nothing is written to disk, a restart begins empty. */
const volatile = ['--save', '', '--appendonly', 'no'];

export const redisStarter = starterOf({
  name: 'redis',
  label: 'Redis',
  variable: 'REDIS_URL',
  image: 'docker.io/library/redis:7.2',
  startMs: 120_000,
  // Debian's `redis-tools` has the server too, under another name (`redis-server` there is a link to it): the program
  // goes by the name it is called. So no package is installed that brings a system service of its own.
  requirements: ({ env }) => [
    {
      label: 'redis-server',
      packages: ['redis-tools', 'redis-server'],
      find: async () => findProgram('redis-server', env) ?? findProgram('redis-check-rdb', env),
    },
  ],
  // Inside, the host is a stranger; the port is published on 127.0.0.1 only.
  inContainer: () => ({ portInside: 6379, command: ['redis-server', '--protected-mode', 'no', ...volatile] }),
  asProgram: async ([program = 'redis-server'], { port, folder }) => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no', ...volatile];
    return { program, argv0: 'redis-server', args };
  },
  url: (port) => `redis://127.0.0.1:${port}/0`,
  answers: async (port) => {
    const reply = await askPort(port, Buffer.from('PING\r\n'), (bytes) => bytes.includes('\r\n'));
    return reply?.toString() === '+PONG\r\n';
  },
});
