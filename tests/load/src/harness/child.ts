import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';

/** A program of this package in a process of its own, and the messages it sends. */
export interface Child {
  readonly pid: number;
  /** What it said when it was ready. */
  readonly ready: unknown;
  /** The next message. @throws when the process ends first, or says `{error}` */
  next<Message>(): Promise<Message>;
  /** Sends a message and waits for the next one. */
  ask<Answer>(message: object): Promise<Answer>;
  kill(): Promise<void>;
}

/**
 * Starts `dist/<path>.js` and waits for its first message.
 * @param argument read there with `readArgument`
 */
export async function startChild(path: string, argument: object): Promise<Child> {
  const child = fork(join(__dirname, '..', `${path}.js`), [JSON.stringify(argument)], {
    execArgv: [],
    // A session of its own, as our services have one: Linux shares the cores out among sessions (sched_autogroup).
    detached: true,
    env: { ...readProcessEnv(), NODE_ENV: 'production' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const next = readMessages(child, path);
  return {
    pid: child.pid ?? 0,
    ready: await next(),
    next: <Message>() => next() as Promise<Message>,
    ask: <Answer>(message: object) => {
      child.send(message);
      return next() as Promise<Answer>;
    },
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** @returns a function that gives the messages one by one, also those that came before they were asked for */
function readMessages(child: ChildProcess, path: string): () => Promise<unknown> {
  const arrived: { error?: string }[] = [];
  let wake = (): void => undefined;
  child.on('message', (message) => {
    arrived.push(message as { error?: string });
    wake();
  });
  child.once('exit', () => wake());
  return async () => {
    while (arrived.length === 0) {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`${path} ended with ${child.exitCode ?? child.signalCode}`);
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
    const message = arrived.shift();
    if (message?.error !== undefined) throw new Error(`${path}: ${message.error}`);
    return message;
  };
}

/** In the child: what `startChild` was given. */
export function readArgument(): unknown {
  return JSON.parse(process.argv[2] ?? '{}');
}

/** In the child: says that it is ready, and ends with its parent. */
export function sendReady(message: object): void {
  process.on('disconnect', () => process.exit(0));
  process.send?.(message);
}

/** In the child: answers each message. A failure becomes `{error}`, which fails the parent's `ask`. */
export function answerMessages(answer: (message: unknown) => Promise<object>): void {
  process.on('message', (message) => {
    void answer(message)
      .catch((error: unknown) => ({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }))
      .then((reply) => process.send?.(reply));
  });
}
