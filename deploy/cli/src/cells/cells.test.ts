import { assignProjects } from './assign-projects';
import { readTable, type CellTable } from './read-table';
import { renderRouter } from './render-router';

const at = (name: string) =>
  `management: http://${name}-management:4100, search: http://${name}-search, write: [http://a:4300, http://b:4300]`;
const text = (more = '') => `
cells:
  - { name: one, room: 2, ${at('one')} }
  - { name: two, room: 2, ${at('two')} }
${more}`;
const read = (yaml: string): CellTable => readTable(yaml, 'cells.yaml');
/** What the cells list: `{ one: ['id name'] }`. */
const assign = (
  lists: Readonly<Record<string, readonly string[]>>,
  yaml = text(),
  before: Readonly<Record<string, string>> = {},
) => {
  const table = read(yaml);
  const listed = table.cells.map((cell) => ({
    cell,
    projects: (lists[cell.name] ?? []).map((project) => {
      const [id = '', name = id] = project.split(' ');
      return { id, name };
    }),
  }));
  return assignProjects(table, listed, new Map(Object.entries(before)));
};

it.each([
  ['no cells', 'cells: []', /cells\.yaml: cells must be a list of one cell or more/],
  ['no YAML', 'cells: [', /cells\.yaml: .+/],
  [
    'a member that is misspelt',
    text('project: {}'),
    /the table has no member "project"; it has listen, socket, cells, projects/,
  ],
  ['a name that HAProxy could not take', text().replace('name: two', 'name: Cell two'), /cells\[1\]\.name must be of/],
  ['one name twice', text().replace('name: two', 'name: one'), /two cells are called one/],
  ['no room', text().replace('room: 2', 'room: much'), /cells\[0\]\.room must be a number of projects/],
  ['an address with a path', text().replace('one-search', 'one-search/v1'), /cells\[0\]\.search must be http/],
  ['a cell without an address', text().replace('search: http://two-search, ', ''), /cells\[1\]\.search must be http/],
  [
    'a project of a cell that is none',
    text('projects: { a: three }'),
    /projects\.a must be one of the cells: one, two/,
  ],
  ['a project that is no id', text('projects: { "a one\\nb": two }'), /projects has "a one\nb", which is no id/],
  ['a socket without its path', text('socket: haproxy.sock'), /socket must be the whole path of a socket/],
  ['nothing to bind to', text('listen: { write: here }'), /listen\.write must be what HAProxy binds to/],
  ["another line of HAProxy's", text('listen: { write: ":1\\n  bind :2" }'), /listen\.write must be what/],
])('refuses a table with %s', (_name, yaml, expected) => {
  expect(() => read(yaml)).toThrow(expected);
});

it.each([
  ['the first while it has room', { one: ['p'] }, 'one', true],
  ['the next one when it is full', { one: ['p', 'q'] }, 'two', true],
  ['the first again when a project of it is deleted', { one: ['p'], two: ['r', 's'] }, 'one', true],
  ['the last when none has room', { one: ['p', 'q'], two: ['r', 's'] }, 'two', false],
])('makes new projects in %s', (_name, lists, open, hasRoom) => {
  expect(assign(lists)).toMatchObject({ open: { name: open }, hasRoom });
});

it('finds a project by id and by name, and by a name of two projects the one of the first cell', () => {
  const { cellOf, shared } = assign({ one: ['p acme', 'q zeta'], two: ['r acme'] });
  expect(Object.fromEntries(cellOf)).toEqual({ p: 'one', q: 'one', r: 'two', acme: 'one', zeta: 'one' });
  expect(shared).toEqual(['acme']);
});

// A key may give its project any name, also one that customers of another cell use.
it.each([
  ['the later cell', { zeta: 'two', r: 'two' }, 'two', ['zeta']],
  ['the first cell', { zeta: 'one' }, 'one', ['zeta']],
  ['a cell that has it no more', { zeta: 'gone' }, 'one', ['zeta']],
])('keeps a name where the map leads it already: %s', (_case, before, cell, names) => {
  const { cellOf, shared } = assign({ one: ['p acme', 'q zeta'], two: ['r zeta'] }, text(), before);
  expect([cellOf.get('zeta'), shared]).toEqual([cell, names]);
});

it('gives a name to who has it alone, wherever it led before', () => {
  const { cellOf, shared } = assign({ one: ['p zeta'], two: ['r other'] }, text(), { zeta: 'two' });
  expect([cellOf.get('zeta'), shared]).toEqual(['one', []]);
});

it('asks for a decision about a project that two cells have, and keeps to it', () => {
  const lists = { one: ['a acme'], two: ['a acme'] };
  expect(() => assign(lists)).toThrow(/The project a is in one and in two/);
  const { cellOf, shared } = assign(lists, text('projects: { a: two }'));
  expect(Object.fromEntries(cellOf)).toEqual({ a: 'two', acme: 'two' });
  expect(shared).toEqual([]);
});

it('refuses a decision for a cell that does not have the project', () => {
  const decided = text('projects: { a: two }');
  expect(() => assign({ one: ['a acme'] }, decided)).toThrow(/places the project a in two, .+: it is in one/);
});

it('writes every server of a cell, and the cells of the projects in an order that does not change', () => {
  const lists = { one: ['q beta'], two: ['p acme'] };
  const files = renderRouter(read(text()), assign(lists));
  expect(files['haproxy.cfg']).toContain(
    'backend write-two\n  server two-1 a:4300 check\n  server two-2 b:4300 check\n',
  );
  expect(files['haproxy.cfg']).toContain('backend search-one\n  server one-1 one-search:80\n');
  expect(files['projects.map']).toBe('- one\nacme two\nbeta one\np two\nq one\n');
});
