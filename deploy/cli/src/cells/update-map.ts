import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { CommandFailure } from '../failure';

/** Below the buffer in which HAProxy takes a command: 16 kB. */
const chunkBytes = 8_000;

/**
 * Gives a running HAProxy another map, whole and at once, by its socket; requests that are under way and connections that are open notice nothing.
 * Source: HAProxy, Management Guide, "prepare map", "add map", "commit map".
 * @returns false when nobody listens at the socket: a router that starts reads the file
 * @throws CommandFailure with what HAProxy said
 */
export async function updateMap(socket: string, map: string): Promise<boolean> {
  const maps = await answerOf(socket, 'show map');
  if (maps === undefined) return false;
  const id = /^(\d+) \(\S*projects\.map\)/m.exec(maps)?.[1];
  if (id === undefined) throw refused(socket, `it has no projects.map:\n${maps}`);
  const prepared = (await answerOf(socket, `prepare map #${id}`)) ?? '';
  const version = /^New version created: (\d+)$/m.exec(prepared)?.[1];
  if (version === undefined) throw refused(socket, prepared);
  for (const lines of chunksOf(map)) {
    const said = (await answerOf(socket, `add map @${version} #${id} <<\n${lines}`)) ?? '';
    if (said.trim() !== '') throw refused(socket, said);
  }
  const committed = (await answerOf(socket, `commit map @${version} #${id}`)) ?? '';
  if (committed.trim() !== '') throw refused(socket, committed);
  return true;
}

function chunksOf(map: string): string[] {
  const chunks: string[] = [''];
  for (const line of map.split('\n').filter((each) => each !== '')) {
    const last = chunks.at(-1) ?? '';
    if (last.length + line.length < chunkBytes) chunks[chunks.length - 1] = `${last}${line}\n`;
    else chunks.push(`${line}\n`);
  }
  return chunks;
}

/** One command; an empty line ends its payload. HAProxy closes after its answer. */
async function answerOf(path: string, command: string): Promise<string | undefined> {
  const socket = connect(path);
  socket.write(`${command}\n`);
  try {
    return await text(socket);
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw refused(path, String(error));
  }
}

function refused(socket: string, said: string): CommandFailure {
  return new CommandFailure(`The router at ${socket} did not take the map: ${said.trim()}`);
}
