import { fork } from 'node:child_process';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { serviceNames, stackDataDir, startStack } from '@sluice/stack';
import { readOptions } from './options';
import { rows } from './rows';

/** `npm run bench`: brings up Postgres, Redis and Kafka or joins them, and runs the rows in a process that knows where they are. */
async function main(): Promise<number> {
  const args = process.argv.slice(2);
  // Before anything starts.
  readOptions(
    args,
    rows.map(({ id }) => id),
  );
  const env = readProcessEnv();
  const log = (line: string): void => void process.stderr.write(`  ${line}\n`);
  const stack = await startStack({ dataDir: stackDataDir(env), want: serviceNames, log, env });
  try {
    return await runRows(args, {
      ...env,
      NODE_ENV: 'production',
      DATABASE_URL: stack.databaseUrl,
      REDIS_URL: stack.redisUrl,
      KAFKA_BROKERS: stack.kafkaBrokers,
    });
  } finally {
    await stack.stop();
  }
}

function runRows(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = fork(join(__dirname, 'run-rows.js'), args, { env, execArgv: ['--enable-source-maps'] });
  // The bootstrap is our parent; when it is killed there is nobody left to stop us.
  process.once('disconnect', () => child.kill('SIGTERM'));
  process.channel?.unref();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
