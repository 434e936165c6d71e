import { readFileSync } from 'node:fs';

/** In the order of the page: what a builder calls all day comes first. */
const parts = ['write', 'search', 'management'];

const introduction = [
  'The three APIs of Sluice. Each has a base URL of its own, which ends in /v1; an API key of the project goes with every request in the header `x-api-key`.',
  '**Test Request** sends a request from your browser to the service itself, with the key that you enter under Authentication. It is a real one: a write is written. Add `dryRun=true` to see what would be sent. The key stays in this tab.',
  'The samples are programs for the demo of `npm start`: they run as they are with its key, `apiKey` of `.sluice/demo.json`, in the environment as `KEY`. An id in them is yours to replace.',
  'What to call when is in the [guide](guide). For programs: `/openapi.json` of each service.',
].join('\n\n');

/** The published documents, by the name of their API. */
export function readDocuments() {
  const read = (name) =>
    JSON.parse(readFileSync(new URL(`../../docs/api/${name}.openapi.json`, import.meta.url), 'utf8'));
  return { management: read('management'), search: read('search'), write: read('write') };
}

/**
 * One document of the three, for the page and for the Python client.
 * @param documents the published documents, by the name of their API
 */
export function mergeDocuments(documents) {
  const merged = { paths: {}, schemas: {}, examples: {} };
  for (const part of parts) {
    const { paths, components } = documents[part];
    for (const [path, item] of Object.entries(paths)) {
      const before = (merged.paths[path] ??= {});
      for (const [method, operation] of Object.entries(item)) {
        if (method in before) throw new Error(`${method} ${path} is of two APIs`);
        before[method] = { ...operation, 'x-api': part, 'x-codeSamples': codeSamples(part, method, path, operation) };
      }
    }
    addEqual(merged.schemas, components.schemas);
    addEqual(merged.examples, components.examples ?? {});
  }
  const { info, openapi, components } = documents.management;
  return {
    openapi,
    info: {
      title: 'Sluice API',
      version: info.version,
      description: [introduction, ...sections(documents)].join('\n\n'),
    },
    tags: parts.flatMap((part) => documents[part].tags),
    'x-tagGroups': parts.map((part) => ({
      name: titleOf(documents[part]),
      tags: documents[part].tags.map(({ name }) => name),
    })),
    paths: merged.paths,
    components: { schemas: merged.schemas, examples: merged.examples, securitySchemes: components.securitySchemes },
  };
}

function addEqual(all, some) {
  for (const [name, value] of Object.entries(some)) {
    if (name in all && JSON.stringify(all[name]) !== JSON.stringify(value))
      throw new Error(`${name} differs between APIs`);
    all[name] = value;
  }
}

/** `Sluice write API` is `Write API`. */
function titleOf({ info }) {
  const title = info.title.replace(/^Sluice /, '');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

const sections = (documents) =>
  parts.map((part) => `## ${titleOf(documents[part])}\n\n${documents[part].info.description}`);

/**
 * Programs that run as they are shown with the demo of `npm start` and its key in `KEY`: with the published client and with curl, each for every
 * example of the body. The page replaces `{server}` by the address of the API.
 */
function codeSamples(part, method, path, { operationId, parameters = [], requestBody }) {
  const { example, examples } = requestBody?.content['application/json'] ?? {};
  const bodies = examples
    ? Object.values(examples).map(({ summary, value }) => ({ summary, body: value }))
    : [{ body: example }];
  const given = parameters.filter((one) => one.in !== 'header' && one.required);
  const samplesOf = (lang, name, print) =>
    bodies.map(({ summary, body }) => ({
      lang,
      label: [name, ...(summary === undefined ? [] : [summary])].join(': '),
      source: print(body),
    }));
  return [
    ...samplesOf('js', '@sluice/client', (body) => clientProgram(part, operationId, given, body)),
    ...samplesOf('shell', 'curl', (body) => curlCommand(method, path, given, body)),
  ];
}

const baseUrls = { management: 'baseUrl', search: 'searchUrl', write: 'writeUrl' };

function clientProgram(part, operationId, given, body) {
  const project = given.find(({ name }) => name === 'projectIdOrName');
  const named = given.filter((one) => one !== project).map(({ name, example }) => [name, example]);
  const argument = { ...Object.fromEntries(named), ...(body && { body }) };
  return [
    "import { createSluiceClient } from '@sluice/client';",
    '',
    'const client = createSluiceClient({',
    `  ${baseUrls[part]}: '{server}',`,
    '  apiKey: process.env.KEY,',
    ...(project ? [`  projectIdOrName: ${quoted(project.example)},`] : []),
    '});',
    `const reply = await client.${part}.${operationId}(${Object.keys(argument).length === 0 ? '' : literal(argument, 0)});`,
    'console.log(reply);',
  ].join('\n');
}

function curlCommand(method, path, given, body) {
  const filled = path.replace(/\{(\w+)\}/g, (_match, name) => given.find((one) => one.name === name).example);
  const query = given.filter((one) => one.in === 'query').map(({ name, example }) => [name, example]);
  const address = `{server}${filled}${query.length === 0 ? '' : `?${new URLSearchParams(query)}`}`;
  const isPlain = method === (body ? 'post' : 'get');
  return [
    `curl${isPlain ? '' : ` -X ${method.toUpperCase()}`} '${address}' -H "x-api-key: $KEY"`,
    ...(body ? [`-H 'content-type: application/json' -d '${inShell(JSON.stringify(body, null, 2))}'`] : []),
  ].join(' \\\n  ');
}

const inShell = (text) => text.replaceAll("'", "'\\''");

/** A value as JavaScript writes it: on one line where that is short. */
function literal(value, depth) {
  const short = inline(value);
  if (typeof value !== 'object' || value === null || short.length + 2 * depth <= 72) return short;
  const pad = '  '.repeat(depth + 1);
  const lines = Array.isArray(value)
    ? value.map((item) => `${pad}${literal(item, depth + 1)},`)
    : Object.entries(value).map(([name, member]) => `${pad}${key(name)}: ${literal(member, depth + 1)},`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return [open, ...lines, `${'  '.repeat(depth)}${close}`].join('\n');
}

function inline(value) {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, member]) => `${key(name)}: ${inline(member)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value);
}

const key = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));
const quoted = (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
