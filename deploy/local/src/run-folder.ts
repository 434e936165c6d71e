import { existsSync, mkdirSync } from 'node:fs';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { connectToHolder, holdFolder, type Log, unavailable, waitUntil } from '@sluice/stack';
import { assertPortsFree, type ProcessName } from './service-ports';

/** Which launcher works in a data folder, as it answers to other launchers. */
interface Run {
  /** For people: `npm start`. */
  readonly command: string;
  readonly pid: number;
  readonly portBase: number;
  /** It was asked to stop, and the folder will be free in a moment. */
  readonly isStopping: boolean;
  /** It has ended the service that was asked for. */
  readonly isLent: boolean;
}

/** Ends a service, which another launcher runs for a while. @returns what starts it again; undefined when it is no process of its own */
export type Lend = (name: ProcessName) => Promise<(() => Promise<void>) | undefined>;

export interface FolderClaim {
  /** The data folder to use. */
  readonly home: string;
  readonly portBase: number;
  readonly command: string;
  /** What will listen. */
  readonly names: readonly ProcessName[];
  readonly log: Log;
}

/** A data folder that no other launcher works in until it is released. */
export interface RunFolder {
  readonly folder: string;
  /** The command of the launcher that works in it and has lent us a service; undefined when it is ours alone. */
  readonly lender?: string;
  /** Says that the end has begun: a launcher that starts now waits for it. */
  readonly markStopping: () => void;
  /** From now on services are lent. */
  readonly lendWith: (lend: Lend) => void;
  readonly release: () => void;
}

/** Questions and answers are a line each, short enough to arrive in one read. */
const use = 'run';
/** How long a launcher whose npm was killed needs to notice, in milliseconds. */
const noticeMs = 1_000;
/** Longest orderly end of a launcher: services, then Kafka, Redis and Postgres. Of one service, too. */
const endMs = 60_000;

const foldersOf = (home: string, portBase: number): readonly string[] => [home, join(home, `base-${portBase}`)];
const inWords = ({ command, pid }: Run): string => `"${command}" (process ${pid})`;

/**
 * Takes the data folder, or `base-<port base>` in it when another launcher works there: two never share a database, a broker or the sandbox's journal.
 * Waits for a launcher that is ending.
 * @throws DependencyError when a port is taken; nothing was started then
 */
export async function claimRunFolder({ home, portBase, command, names, log }: FolderClaim): Promise<RunFolder> {
  const folders = foldersOf(home, portBase);
  const others = await Promise.all(folders.map((folder) => untilSettled(folder, log)));
  const owner = others.find((other) => other?.portBase === portBase);
  await assertPortsFree({ portBase, names, command, owner: owner && inWords(owner) });
  for (const folder of folders) {
    const claimed = await tryClaim(folder, { command, portBase });
    if (claimed !== undefined) return claimed;
    const other = await readRun(folder);
    log(`${folder} is in use by ${other ? inWords(other) : 'another launcher'}, so the data goes beside it`);
  }
  throw unavailable(`Two launchers use ${home} already.`, { remedy: 'End one, or set SLUICE_DATA_DIR.' });
}

async function tryClaim(folder: string, own: Pick<Run, 'command' | 'portBase'>): Promise<RunFolder | undefined> {
  mkdirSync(folder, { recursive: true });
  let isStopping = false;
  let lend: Lend = async () => undefined;
  const answer = async (socket: Socket, name: string): Promise<void> => {
    const takeBack = name === '' ? undefined : await lend(name as ProcessName);
    const run: Run = { ...own, pid: process.pid, isStopping, isLent: takeBack !== undefined };
    socket.write(`${JSON.stringify(run)}\n`);
    if (takeBack === undefined) return void socket.end();
    // With the process that asked, however it ends.
    if (!socket.closed) await once(socket, 'close');
    await takeBack();
  };
  const server = await holdFolder(folder, use, (socket) => {
    socket.on('error', () => undefined).unref();
    socket.setEncoding('utf8').once('data', (name: string) => void answer(socket, name.trim()));
  });
  if (server === undefined) return undefined;
  server.unref();
  return {
    folder,
    markStopping: () => (isStopping = true),
    lendWith: (given) => (lend = given),
    release: () => server.close(),
  };
}

/**
 * Has the launcher on these ports end one of its services for as long as this process lives.
 * @returns undefined when no launcher of the data folder uses the ports
 * @throws DependencyError when its services are no processes
 */
export async function borrowService(
  { home, portBase, log }: FolderClaim,
  name: ProcessName,
): Promise<RunFolder | undefined> {
  for (const folder of foldersOf(home, portBase)) {
    if ((await readRun(folder))?.portBase !== portBase) continue;
    const { run, socket } = (await ask(folder, name)) ?? {};
    if (run?.isLent !== true || socket === undefined) {
      throw unavailable(`${name} is run by ${run ? inWords(run) : 'another launcher'}, which cannot lend it.`, {
        remedy: 'End that one, and run "npm run dev" or "npm start -- --distributed" in its place.',
      });
    }
    log(`${name}: replaces the one that "${run.command}" runs, until this ends`);
    const release = () => void socket.destroy();
    return { folder, lender: run.command, markStopping: () => undefined, lendWith: () => undefined, release };
  }
  return undefined;
}

async function untilSettled(folder: string, log: Log): Promise<Run | undefined> {
  let run = await readRun(folder);
  const isWorking = async () => (run = await readRun(folder))?.isStopping === false;
  if (run?.isStopping === false) await waitUntil(async () => !(await isWorking()), { withinMs: noticeMs });
  if (run?.isStopping !== true) return run;
  log(`waiting for process ${run.pid}, which is stopping`);
  await waitUntil(async () => (run = await readRun(folder)) === undefined, { withinMs: endMs });
  return run;
}

/** The launcher that works in the folder now; undefined when there is none. */
async function readRun(folder: string): Promise<Run | undefined> {
  const { run, socket } = (await ask(folder, '')) ?? {};
  socket?.destroy();
  return run;
}

/** @param name the service to lend; '' asks for nothing */
function ask(folder: string, name: ProcessName | '') {
  return new Promise<{ readonly run: Run; readonly socket: Socket } | undefined>((resolve) => {
    if (!existsSync(folder)) return resolve(undefined);
    const socket = connectToHolder(folder, use);
    socket.setTimeout(endMs, () => socket.destroy());
    socket.once('error', () => resolve(undefined)).once('close', () => resolve(undefined));
    socket.setEncoding('utf8').once('data', (line: string) => {
      socket.setTimeout(0).unref();
      resolve({ run: JSON.parse(line) as Run, socket });
    });
    socket.write(`${name}\n`);
  });
}
