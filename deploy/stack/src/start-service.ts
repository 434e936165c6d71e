import { randomUUID } from 'node:crypto';
import { kafkaStarter } from './kafka';
import type { ServiceStarter, StartContext } from './launch-service';
import { postgresStarter } from './postgres';
import { identify, isRunning, waitUntil } from './processes';
import { redisStarter } from './redis';
import { describeRuntime, isAlive } from './runtime';
import { type Log, type ServiceName, serviceNames, type StartedService, type StateBook } from './stack-state';

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

/** Notes that this process needs these services. @returns what `removeHolder` takes */
export function addHolder(book: StateBook, wants: readonly ServiceName[]): string {
  const id = randomUUID();
  const self = identify(process.pid) ?? { pid: process.pid, startedAt: '' };
  book.state.holders = [...liveHolders(book), { id, process: self, wants }];
  book.save();
  return id;
}

/** Notes that the holder needs them no more. */
export function removeHolder(book: StateBook, id: string): void {
  book.state.holders = liveHolders(book).filter((holder) => holder.id !== id);
  book.save();
}

/** Ends the services that no living process needs and nobody asked to keep. */
export async function endUnneeded(book: StateBook, log: Log): Promise<void> {
  const { state } = book;
  const needed = new Set([...state.kept, ...liveHolders(book).flatMap((holder) => holder.wants)]);
  await endServices(
    book,
    serviceNames.filter((name) => !needed.has(name)),
    log,
  );
}

/** Ends these services, if they run. Nothing that we did not start. */
export async function endServices(book: StateBook, names: readonly ServiceName[], log: Log): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const service = book.state.services[name];
      if (service === undefined) return;
      const wasAlive = await isAlive(service.runtime);
      await starters[name].stop(service); // Also of a dead container something is left.
      if (wasAlive) log(`${name}: stopped`);
      delete book.state.services[name];
      book.save();
    }),
  );
}

function liveHolders(book: StateBook) {
  return book.state.holders.filter((holder) => isRunning(holder.process));
}
