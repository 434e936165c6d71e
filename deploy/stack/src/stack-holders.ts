import { randomUUID } from 'node:crypto';
import type { Log } from './log';
import { identify, isRunning } from './process-identity';
import { isAlive } from './runtime';
import { starters } from './start-service';
import { serviceNames, type ServiceName, type StateBook } from './stack-state';

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
