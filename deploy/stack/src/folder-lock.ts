import { mkdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unavailable, waitUntil } from './processes';
import type { Log } from './stack-state';

/**
 * Holds a folder for a use: no other process gets it until the server is closed or this process ends, however it ends.
 * @param serve takes the connections of `connectToHolder`
 * @returns undefined when another process holds it
 */
export async function holdFolder(
  folder: string,
  use: string,
  serve = (socket: Socket): void => void socket.destroy(),
): Promise<Server | undefined> {
  const address = addressOf(folder, use);
  const server = createServer(serve);
  if (await listen(server, address)) return server;
  if (isFreedWithProcess || (await isAnswered(address))) return undefined;
  rmSync(address, { force: true });
  return (await listen(server, address)) ? server : undefined;
}

/** Asks the process that holds the folder. Where there is none the socket ends with an error. */
export function connectToHolder(folder: string, use: string): Socket {
  return connect(addressOf(folder, use));
}

/** An abstract address ends with its process. Elsewhere a socket is a file, which stays behind when its process is killed. */
const isFreedWithProcess = process.platform === 'linux';

/** Of the folder itself, however its path is written: and a path may be longer than an address. */
function addressOf(folder: string, use: string): string {
  const { dev, ino } = statSync(folder);
  const name = `sluice-${use}-${dev}-${ino}`;
  return isFreedWithProcess ? `\0${name}` : join(tmpdir(), name);
}

function listen(server: Server, address: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(address, () => resolve(true));
  });
}

function isAnswered(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => resolve(true));
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
  });
}

/** Longest that another process is waited for, in milliseconds: the first start may download Kafka and install programs. */
const patienceMs = 15 * 60_000;

/**
 * Runs `work` while no other process does so for this folder.
 * @throws DependencyError when another process holds it for longer than a quarter of an hour
 */
export async function withStackLock<T>(dataDir: string, log: Log, work: () => Promise<T>): Promise<T> {
  mkdirSync(dataDir, { recursive: true });
  let lock: Server | undefined;
  let attempts = 0;
  const take = async (): Promise<boolean> => {
    attempts += 1;
    if (attempts === 20) log('waiting for another command, which starts or stops the services');
    lock = await holdFolder(dataDir, 'stack');
    return lock !== undefined;
  };
  if (!(await waitUntil(take, { withinMs: patienceMs, everyMs: 100 }))) {
    const detail = `Another command has been starting or stopping the services in ${dataDir} for too long.`;
    throw unavailable(detail, { remedy: 'End it: npm test, npm start or npm run stack of this checkout.' });
  }
  try {
    return await work();
  } finally {
    lock?.close();
  }
}
