import { parse } from 'yaml';
import { CommandFailure } from '../failure';

export const apis = ['management', 'search', 'write'] as const;
export type Api = (typeof apis)[number];

/** One Sluice with its own Postgres, Redis and topics. */
export interface Cell extends Readonly<Record<Api, readonly string[]>> {
  readonly name: string;
  /** Projects from which on it takes no new one; 0: none at all. */
  readonly room: number;
}

/** What an operator writes: the cells, and what of them is decided by hand. */
export interface CellTable {
  /** What follows `bind` of HAProxy: `:443 ssl crt /etc/haproxy/sluice.pem`. */
  readonly listen: Readonly<Record<Api, string>>;
  /** Of HAProxy, by which it takes another map while it runs. Absent: it has to be reloaded. */
  readonly socket?: string;
  /** New projects are made in the first that has room. */
  readonly cells: readonly Cell[];
  /** Id of a project -> name of its cell, in place of what the cells say. For a project that is being moved. */
  readonly projects: Readonly<Record<string, string>>;
}

const listenDefault: CellTable['listen'] = { management: ':4100', search: ':4200', write: ':4300' };

/** @throws CommandFailure that names the first rule that is broken */
export function readTable(text: string, file: string): CellTable {
  const refuse = (rule: string): never => {
    throw new CommandFailure(`${file}: ${rule}`);
  };
  const membersOf = (value: unknown, name: string, known: readonly string[]): Record<string, unknown> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(`${name} must be a map`);
    const unknown = Object.keys(value).find((member) => !known.includes(member));
    if (unknown !== undefined) refuse(`${name} has no member "${unknown}"; it has ${known.join(', ')}`);
    return value as Record<string, unknown>;
  };
  const readCell = (value: unknown, at: number): Cell => {
    const of = `cells[${at}]`;
    const { name, room, ...given } = membersOf(value, of, ['name', 'room', ...apis]);
    // It becomes a part of names in HAProxy's file.
    if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9-]{0,62}$/.test(name))
      return refuse(`${of}.name must be of lower-case letters, digits and hyphens`);
    if (!Number.isInteger(room) || (room as number) < 0) refuse(`${of}.room must be a number of projects, 0 or more`);
    const addresses = Object.fromEntries(
      apis.map((api) => [api, [given[api]].flat().map((url) => addressOf(url, `${of}.${api}`))]),
    ) as Record<Api, string[]>;
    return { name, room: room as number, ...addresses };
  };
  const addressOf = (url: unknown, name: string): string => {
    const parsed = typeof url === 'string' ? URL.parse(url) : null;
    const isOrigin = parsed?.protocol === 'http:' && parsed.pathname === '/' && parsed.search + parsed.hash === '';
    if (parsed === null || !isOrigin) return refuse(`${name} must be http://HOST:PORT, or a list of such`);
    return `${parsed.hostname}:${parsed.port || '80'}`;
  };

  const root = membersOf(parseYaml(text, refuse), 'the table', ['listen', 'socket', 'cells', 'projects']);
  const { cells: givenCells, socket } = root;
  if (!Array.isArray(givenCells) || givenCells.length === 0) return refuse('cells must be a list of one cell or more');
  const cells = givenCells.map(readCell);
  const names = cells.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) refuse(`two cells are called ${twice}`);

  const listen = { ...listenDefault, ...membersOf(root['listen'] ?? {}, 'listen', apis) };
  for (const api of apis) {
    const bind: unknown = listen[api];
    if (typeof bind !== 'string' || !/^[^\n]*:\d+[^\n]*$/.test(bind))
      refuse(`listen.${api} must be what HAProxy binds to, such as ":443 ssl crt /etc/haproxy/sluice.pem"`);
  }
  if (socket !== undefined && (typeof socket !== 'string' || !/^\/\S+$/.test(socket)))
    return refuse('socket must be the whole path of a socket, such as /run/haproxy/sluice.sock');
  const projects = membersOf(root['projects'] ?? {}, 'projects', Object.keys(root['projects'] ?? {}));
  for (const [id, cell] of Object.entries(projects)) {
    // It becomes a line of the map.
    if (!/^[0-9a-f-]+$/.test(id)) refuse(`projects has "${id}", which is no id of a project`);
    if (!names.includes(cell as string)) refuse(`projects.${id} must be one of the cells: ${names.join(', ')}`);
  }
  return { listen, cells, ...(socket !== undefined && { socket }), projects: projects as CellTable['projects'] };
}

function parseYaml(text: string, refuse: (rule: string) => never): unknown {
  try {
    return parse(text);
  } catch (error) {
    return refuse(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
}
