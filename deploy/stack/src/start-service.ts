import { kafkaStarter } from './kafka';
import { postgresStarter } from './postgres';
import { redisStarter } from './redis';
import { describeRuntime, isAlive } from './runtime';
import type { ServiceStarter, StartContext } from './service-starter';
import type { ServiceName, StartedService } from './stack-state';
import { waitUntil } from './wait-until';

export const starters: Readonly<Record<ServiceName, ServiceStarter>> = {
  postgres: postgresStarter,
  redis: redisStarter,
  kafka: kafkaStarter,
};

/** How long a service that runs already may take to answer before it is started anew, in milliseconds. */
const answerMs = 60_000;

/**
 * Starts or joins the services, all at once.
 * @returns their addresses
 * @throws the first failure, after every start has come to its end
 */
export async function startAll(
  context: StartContext,
  names: readonly ServiceName[],
): Promise<Partial<Record<ServiceName, string>>> {
  const outcomes = await Promise.allSettled(names.map((name) => ensure(starters[name], context)));
  const urls: Partial<Record<ServiceName, string>> = {};
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected') throw outcome.reason;
    urls[names[index] as ServiceName] = outcome.value.url;
  }
  return urls;
}

async function ensure(starter: ServiceStarter, context: StartContext): Promise<StartedService> {
  const running = await findRunning(starter, context);
  if (running !== undefined) {
    context.log(`${starter.name}: runs already on port ${running.port} (${describeRuntime(running.runtime)})`);
    return running;
  }
  const begunAt = performance.now();
  const service = await starter.start(context, (started) => remember(context, starter.name, started));
  const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
  context.log(`${starter.name}: started on port ${service.port} (${describeRuntime(service.runtime)}) in ${seconds} s`);
  return service;
}

async function findRunning(starter: ServiceStarter, context: StartContext): Promise<StartedService | undefined> {
  const known = context.book.state.services[starter.name];
  const isKnownAlive = known !== undefined && (await isAlive(known.runtime));
  const found = isKnownAlive ? known : starter.findOrphan?.(context);
  if (found === undefined) return undefined;
  const isUsable = () => starter.answers(found);
  const hasEnded = async () => !(await isAlive(found.runtime));
  await waitUntil(async () => (await hasEnded()) || (await isUsable()), { withinMs: answerMs });
  if (await isUsable()) {
    remember(context, starter.name, found);
    return found;
  }
  context.log(`${starter.name}: runs but does not answer, and is started anew`);
  await starter.stop(found);
  return undefined;
}

function remember(context: StartContext, name: ServiceName, service: StartedService): void {
  context.book.state.services[name] = service;
  context.book.state.ports[name] = service.port;
  context.book.save();
}
