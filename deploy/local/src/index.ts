import { SluiceApiError } from '@sluice/client';
import { SluiceError } from '@sluice/errors';

export { metricsUrlOf, portDistances, servicePorts, type ProcessName } from './service-ports';
export { createServiceProcesses, type ServiceProcesses, type ServiceProcessesOptions } from './service-processes';
export { createEmbeddedServices } from './footprints/embedded';
export { seedSandboxDemo } from './demo/seed-demo';
export { tourOfRunning } from './tour';

interface Command {
  /** @returns the exit code */
  run(args: readonly string[]): Promise<number>;
}

/** A command is loaded when it is called, so that none pays for the others. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  start: () => import('./start-command.js'),
  dev: () => import('./dev-command.js'),
  migrate: () => import('./migrate-command.js'),
  connect: () => import('./connect-command.js'),
  container: () => import('./container-command.js'),
  certify: () => import('@sluice/certify'),
  stack: () => import('@sluice/stack'),
  generate: () => import('@sluice/contracts'),
};

async function main([name = '', ...args]: readonly string[]): Promise<number> {
  const load = commands[name];
  if (load === undefined) {
    process.stderr.write(`There is no command "${name}". Commands: ${Object.keys(commands).join(', ')}\n`);
    return 2;
  }
  return (await load()).run(args);
}

/** The bootstrap is our parent. When it is killed, nothing else stops us. */
function stopWithParent(): void {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
}

function explain(error: unknown): string {
  if (error instanceof SluiceApiError) return [error.message, error.remedy ?? ''].join('\n').trimEnd();
  if (!(error instanceof SluiceError)) return error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [error.detail, error.remedy].filter((part) => part !== undefined).join('\n');
}

async function runAsProgram(): Promise<void> {
  stopWithParent();
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = 1;
  }
}

if (require.main === module) void runAsProgram();
