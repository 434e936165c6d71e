import { DependencyError } from '@sluice/errors';
import { endProcess } from './process-identity';
import { endRuntime } from './runtime';
import { readState, type ServiceName } from './stack-state';

/** How long a killed service may take to go, in milliseconds. */
const goneMs = 60_000;

/**
 * Ends one service of the folder as a crash does, for fault tests: Postgres by SIGQUIT (`pg_ctl stop -m immediate`), the
 * others by SIGKILL. It stays wanted: `startStack` on the folder brings it up again, on its data and port. A container
 * loses its data: it is removed.
 * @throws DependencyError when the folder knows no such service
 */
export async function crashService(dataDir: string, name: ServiceName): Promise<void> {
  const service = readState(dataDir).services[name];
  if (service === undefined) {
    throw new DependencyError({ code: 'service.unavailable', detail: `${name} was not started from ${dataDir}.` });
  }
  if (service.runtime.origin === 'container') return await endRuntime(service.runtime, []);
  await endProcess(service.runtime.process, name === 'postgres' ? ['SIGQUIT'] : [], goneMs);
}
