import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { createSluiceClient, SluiceApiError, SluiceConnectionError } from '@sluice/client';
import { readProcessEnv } from '@sluice/config';
import { CommandFailure } from '../failure';
import { print, renderTable } from '../output/print';
import { readInput } from '../read-options';
import { type Assignment, assignProjects, type ListedCell } from './assign-projects';
import { type Cell, type CellTable, readTable } from './read-table';
import { renderRouter, type RouterFiles, unknownProject } from './render-router';

interface CellsOptions {
  readonly out: string;
  readonly json?: boolean;
}

/**
 * `sluice cells <table>`: asks each cell for its projects and writes the router's files. A cell that does not answer ends it: without its list its
 * projects would be looked for elsewhere.
 */
export async function writeRouter(options: CellsOptions, file: string): Promise<void> {
  const table = readTable(await readInput(file), file);
  const adminKey = readProcessEnv()['SLUICE_ADMIN_KEY'];
  if (!adminKey) throw new CommandFailure('Set SLUICE_ADMIN_KEY: the cells list their projects to it.');
  const listed = await Promise.all(
    table.cells.map(async (cell): Promise<ListedCell> => ({ cell, projects: await projectsOf(cell, adminKey) })),
  );
  mkdirSync(options.out, { recursive: true });
  const before = readMap(join(options.out, 'projects.map'));
  const { assignment, rendered } = render(table, assignProjects(table, listed, before), options.out);
  const { open, hasRoom, shared } = assignment;
  const files = Object.entries(rendered).map(([name, text]) => {
    const path = join(options.out, name);
    return { path, changed: write(path, text) };
  });
  const isUpdated = table.socket !== undefined && (await updateMap(table.socket, rendered['projects.map']));
  const cells = listed.map(({ cell: { name, room }, projects }) => {
    return { name, projects: projects.length, room, takesNew: name === open.name };
  });
  if (!hasRoom)
    process.stderr.write(`No cell has room: new projects are made in ${open.name}. Add a cell, or raise its room.\n`);
  print(options, { cells, files, isUpdated }, () => {
    const shown = renderTable(
      cells,
      [['cell', 'name'], 'projects', 'room', ['new projects', ({ takesNew }) => (takesNew ? 'here' : '')]],
      '',
    );
    const running = isUpdated ? '\nThe running router has the map.' : '';
    return `${shown}\n${files.map(({ path, changed }) => `${path}: ${changed ? 'written' : 'unchanged'}`).join('\n')}${running}`;
  });
  // Last, so that a project that takes a name of another cell does not keep the map of all others from being written.
  if (shared.length > 0)
    throw new CommandFailure(
      `Projects of two cells are called ${shared.map((name) => `${name} (found in ${assignment.cellOf.get(name)})`).join(', ')}. By name only one of them is found: rename the other.`,
    );
}

/**
 * The files. While the rules change, new projects stay where they are made now. Until its last connection is closed, a process that runs by the older
 * rules would look for them there.
 */
function render(
  table: CellTable,
  assignment: Assignment,
  folder: string,
): { readonly assignment: Assignment; readonly rendered: RouterFiles } {
  const rendered = renderRouter(table, assignment);
  const [config, map] = [join(folder, 'haproxy.cfg'), join(folder, 'projects.map')];
  if (!existsSync(map) || !existsSync(config) || readFileSync(config, 'utf8') === rendered['haproxy.cfg'])
    return { assignment, rendered };
  const [, before] = new RegExp(`^${unknownProject} (.+)$`, 'm').exec(readFileSync(map, 'utf8')) ?? [];
  const open = table.cells.find(({ name }) => name === before) ?? assignment.open;
  if (open !== assignment.open)
    process.stderr.write(`New projects stay in ${open.name} until HAProxy was reloaded and this is run again.\n`);
  const kept = { ...assignment, open };
  return { assignment: kept, rendered: renderRouter(table, kept) };
}

async function projectsOf({ name, management: [address] }: Cell, apiKey: string): Promise<ListedCell['projects']> {
  try {
    return await createSluiceClient({ baseUrl: `http://${address}/v1`, apiKey }).management.listProjects();
  } catch (error) {
    if (!(error instanceof SluiceApiError || error instanceof SluiceConnectionError)) throw error;
    const reason = error instanceof SluiceApiError ? error.detail : error.message;
    throw new CommandFailure(`The cell ${name} does not list its projects, so nothing was written: ${reason}`);
  }
}

/** Empty before the first run. */
function readMap(path: string): ReadonlyMap<string, string> {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return new Map(lines.map((line) => line.split(' ')).map(([project = '', cell = '']) => [project, cell]));
}

/** Whole or not at all: a router may read it meanwhile. @returns whether it was another one before */
function write(path: string, text: string): boolean {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return false;
  writeFileSync(`${path}.part`, text);
  renameSync(`${path}.part`, path);
  return true;
}

/** Below the buffer in which HAProxy takes a command: 16 kB. */
const chunkBytes = 8_000;

/**
 * Gives a running HAProxy another map, whole and at once, by its socket; requests that are under way and connections that are open notice nothing.
 * Source: HAProxy, Management Guide, "prepare map", "add map", "commit map".
 * @returns false when the socket has no listener: a router that starts reads the file
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
    return await textOf(socket);
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw refused(path, String(error));
  }
}

function refused(socket: string, said: string): CommandFailure {
  return new CommandFailure(`The router at ${socket} did not take the map: ${said.trim()}`);
}
