import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@sluice/config';
import { loadDeclarations } from './load-declarations';

const folder = mkdtempSync(join(tmpdir(), 'providers-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file that keeps every rule, of a provider that lacks what it may lack. */
const least = `format: 1
name: acme
displayName: Acme
baseUrl: https://{workspace}.acme.example/api
variables: { workspace: { from: workspace } }
auth: { apiKey: { header: x-key } }
account: { path: /me }
objects: { things: { words: { one: thing } } }
create: { method: POST, path: '/{object}', body: { '{one}': $fields }, reply: { id: /id } }
update: { method: PUT, path: '/{object}/{id}', body: $fields, reply: { id: /id } }
search:
  method: GET
  path: '/{object}'
  query: { q: '{filters}' }
  filter: { text: '{field}="{value}"', join: '&', refuse: '"' }
  rows: /rows
  id: /id
  pageMax: 10
errors: [{ at: '', message: [/message] }]
rate: { limit: 10, windowMs: 1000 }
facts: { baseUrl: 'assumed: a', auth: 'assumed: a', account: 'assumed: a', objects: 'assumed: a', create: 'assumed: a', update: 'assumed: a', search: 'assumed: a', errors: 'assumed: a', rate: 'assumed: a' }
`;

/** What loading a folder with this one file complains of; undefined: nothing. */
function problemsOf(text: string): string[] | undefined {
  writeFileSync(join(folder, 'acme.yaml'), text);
  try {
    loadDeclarations(folder);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ name, rule }) => `${name.replace(join(folder, 'acme.yaml'), '')} ${rule}`);
  }
}

it('reads the shipped files, each of which names the source of every part', () => {
  const names = loadDeclarations().map(({ name }) => name);
  expect(names).toEqual(['close', 'freshdesk', 'klaviyo', 'pipedrive', 'zendeskSupport', 'zoho']);
});

it('each shipped file has the form of ids, the reply for a missing record, and the source of both', () => {
  for (const { name, update, facts } of loadDeclarations()) {
    expect([name, update?.idForm, update?.missing]).toEqual([name, expect.any(String), expect.any(Object)]);
    expect(Object.keys(facts)).toEqual(expect.arrayContaining(['update.idForm', 'update.missing']));
  }
});

it('takes another host for one of the listed values', () => {
  const listed = '{ from: workspace, oneOf: [a, b] } }\nhosts: { b.acme.example: b.other.example }';
  expect(problemsOf(least.replace('{ from: workspace } }', listed))).toBeUndefined();
});

it('reads a folder besides', () => {
  expect(problemsOf(least)).toBeUndefined();
  expect(loadDeclarations(folder).map(({ name }) => name)).toContain('acme');
});

// A change of one place, and what is said of it: with its line, its column and the path.
const from = '{ from: workspace }';
const ending = '{ from: workspace } }';
const path = "path: '/{object}/{id}'";
const host = 'https://{workspace}.acme.example';
const reply = 'id: /id } }\nsearch';
it.each<[string, string, string, string | RegExp]>([
  ['an unknown member', 'account:', 'acount:', /^:7:1 acount is not known here; did you mean account\?$/m],
  ['a form of ids', reply, 'id: /id }, idForm: number }\nsearch', /update\.idForm must be one of/],
  [
    'a missing record',
    reply,
    'id: /id }, missing: { says: gone } }\nsearch',
    /update\.missing needs a status or a code/,
  ],
  ['a wrong type', 'limit: 10', 'limit: ten', /^:20:9 rate\.limit must be integer$/],
  ['a pointer', 'id: /id }', 'id: id }', /reply\.id must be a JSON pointer/],
  ['a method', 'method: PUT', 'method: DELETE', /update\.method must be one of POST, PUT, PATCH/],
  ['a path', path, "path: '/{object}/../{id}?x'", /update\.path must be a path/],
  ['a misspelled name', '{ q: ', "{ r: '{objct}', q: ", /has \{objct\}, .*did you mean \{object\}\?$/],
  ['an id left out', path, "path: '/{object}'", /update\.path must hold \{id\}$/],
  ['a record left out', 'body: $fields', 'body: {}', /update\.body must hold \$fields/],
  ['a host of the customer', host, 'https://{workspace}', /must end in a fixed domain/],
  ['a host of one label', host, 'https://{workspace}.example', /fixed domain/],
  ['plain http', host, 'http://acme.example', /baseUrl must be https/],
  ['a user in a URL', 'https://{workspace}.', 'https://a@{workspace}.', /baseUrl must be a URL/],
  [
    'an unknown name in the path of a URL',
    '.example/api',
    '.example/{tenant}',
    /has \{tenant\}, which is none of the variables/,
  ],
  [
    "metadata under the workspace's name",
    from,
    '{ from: metadata }',
    /from must be workspace: it is the published name/,
  ],
  [
    "another host in place of somebody else's",
    'account:',
    'hosts: { b.acme.example: b.example }\naccount:',
    /hosts\.b\.acme\.example is no host that a URL of this file comes to by a value of oneOf$/m,
  ],
  [
    'another host for a value that is not listed',
    ending,
    '{ from: workspace, oneOf: [a] } }\nhosts: { b.acme.example: b.example }',
    /hosts\.b\.acme\.example is no host/,
  ],
  ...['localhost', 'B.example', 'b.example/x', 'b@c.example', '{workspace}.example', 'b.example:1'].map(
    (other): [string, string, string, RegExp] => [
      `another host like ${other}`,
      ending,
      `{ from: workspace, oneOf: [a] } }\nhosts: { a.acme.example: '${other}' }`,
      /hosts\.a\.acme\.example must be a host in small letters, below a domain$/m,
    ],
  ),
  ['a variable that is none', '{ workspace: {', '{ worksp: {', /has \{workspace\}, which is none of the variables/],
  ['two places of a key', '{ header: x-key }', '{ header: x-key, query: k }', /exactly one of header, query and basic/],
  ['no way in', 'auth: { apiKey: { header: x-key } }', 'auth: { basic: false }', /names no way to open an account/],
  ['a header of ours', 'account:', 'headers: { Authorization: x }\naccount:', /is a header that no file sets/],
  ['a header value with a line break', 'account:', 'headers: { x-a: "a\\r\\nb" }\naccount:', /printable ASCII/],
  ['filters that go nowhere', "q: '{filters}'", "q: 'x'", /nothing holds \{filters\}/],
  ['filters that are not joined', ", join: '&'", '', /needs join, or max: 1/],
  ['a unique field that nobody can date', 'one: thing } }', 'one: thing }, unique: email }', /needs search\.created/],
  [
    'a create without id',
    'reply: { id: /id } }\nupdate',
    'reply: { id: /id, empty: true } }\nupdate',
    /cannot hold for a create/,
  ],
  ['a fact left out', "search: 'assumed: a', ", '', /facts has no entry for search$/],
  [
    'a fact without basis',
    "auth: 'assumed: a'",
    'auth: guessed',
    /must be "recorded: …", "documented: …" or "assumed: …"/,
  ],
  ['a fact of nothing', "auth: 'assumed: a'", "auth: 'assumed: a', serach: 'assumed: a'", /did you mean search\?/],
  [
    'a return without a page',
    from,
    '{ from: metadata, returned: [{ parameter: at, form: "{value}" }] }',
    /returned needs an authorization code grant, whose return it is of/,
  ],
  [
    'a return that tells the workspace',
    from,
    '{ from: workspace, returned: [{ parameter: at, form: "{value}" }] }',
    /returned goes with from: metadata only/,
  ],
  [
    'a return that is no place',
    from,
    '{ from: workspace, oneOf: [a], returned: [{ parameter: code, values: { x: b } }] }',
    /parameter must not be code.*\n.*values\.x must be one of a/s,
  ],
  [
    'a return that is said in two ways, twice',
    from,
    '{ from: workspace, returned: [{ parameter: at, form: x, values: {} }, { parameter: at }] }',
    /names a parameter twice.*exactly one of form and values.*must hold \{value\} once.*exactly one of/s,
  ],
  [
    'a reply that tells without a token',
    from,
    '{ from: workspace, told: { at: /x, form: x } }',
    /told goes with from: metadata only.*needs auth\.oauth2.*form must hold \{value\} once/s,
  ],
  ['no YAML', 'name: acme', 'name: [acme', /is not readable as YAML: /],
  ['a name that is taken', 'name: acme', 'name: close', /is close, which is a provider of .*close\.yaml already$/],
  ['a name of a connector', 'name: acme', 'name: hubspot', /is hubspot, which is a provider of this build already$/],
])('refuses %s', (_, before, after, problem) => {
  expect(least).toContain(before);
  expect(problemsOf(least.replace(before, () => after))?.join('\n')).toMatch(problem);
});

it('reports all problems of all files at once, in the order of their lines', () => {
  writeFileSync(join(folder, 'other.yml'), 'format: 2\nname: other\n');
  const problems = problemsOf(least.replace('limit: 10', 'limit: 0').replace('PUT', 'GET')) ?? [];
  rmSync(join(folder, 'other.yml'));
  expect(problems[0]).toMatch(/^:10:\d+ update\.method/);
  expect(problems[1]).toMatch(/^:20:\d+ rate\.limit/);
  expect(problems.filter((problem) => problem.includes('other.yml'))).toHaveLength(5);
});

it('needs objects and an account beside what goes with records', () => {
  const part = (name: string) => least.replace(new RegExp(`^${name}: .*\n`, 'm'), '');
  expect(problemsOf(part('objects'))).toContainEqual(
    expect.stringMatching(/objects is required beside create, update/),
  );
  expect(problemsOf(part('account'))).toContainEqual(
    expect.stringMatching(/account is required beside create, update/),
  );
});

it('says which setting names a folder that is not there', () => {
  expect(() => loadDeclarations(join(folder, 'nowhere'))).toThrow(/SLUICE_PROVIDERS_DIR=.*nowhere cannot be read/);
});
