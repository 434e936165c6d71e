import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { certifySuite, command, inDataDir } from './certify-account';

certifySuite();

/** An API that nobody of us knows. Its search shows the number and nothing else. */
const items: Record<string, unknown>[] = [];
let server: Server;
let address: string;
beforeAll(async () => {
  server = createServer((request, response) => void reply(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => void items.splice(0));

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [status, body] = await answer(request);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function answer(request: IncomingMessage): Promise<[number, unknown]> {
  if (request.headers['x-shelf-key'] !== 'key-of-ana') return [401, { problem: 'unknown key' }];
  const { method, url = '' } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const sent = chunks.length > 0 ? (JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>) : {};
  const owner = { fullName: 'Ana López', mail: 'ana@acme.test', 'Ana López': true };
  const { pathname, searchParams } = new URL(url, address);
  if (pathname === '/whoami') return [200, { shop: 'acme-main-street', owner }];
  if (method === 'GET') {
    const found = items.filter(({ number }) => number === searchParams.get('number'));
    return [200, { rows: found.map(({ key, number }) => ({ key, number, owner })) }];
  }
  const stored = items.find(({ key }) => pathname === `/parts/${String(key)}`);
  if (method === 'PATCH' && !stored) return [404, { problem: 'no such part' }];
  if (stored) Object.assign(stored, sent);
  else items.push({ key: `part-${items.length + 1}-acme`, ...sent });
  return [200, { ...(stored ?? items.at(-1)), owner }];
}

const file = (base: string) => `
format: 1
name: shelf
displayName: Shelf
baseUrl: ${base}
auth: { apiKey: { header: x-shelf-key } }
account: { path: /whoami, workspace: /shop }
objects: { parts: {} }
create: { method: POST, path: '/{object}', body: $fields, reply: { id: /key } }
update: { method: PATCH, path: '/{object}/{id}', body: $fields, reply: { id: /key } }
search: { method: GET, path: '/{object}', filter: { parameter: '{field}', max: 1 }, rows: /rows, id: /key, pageMax: 20 }
errors: [{ at: '', message: [/problem] }]
rate: { limit: 10, windowMs: 1000 }
facts: { baseUrl: 'assumed: a test', auth: 'assumed: a test', account: 'assumed: a test', objects: 'assumed: a test', create: 'assumed: a test', update: 'assumed: a test', search: 'assumed: a test', errors: 'assumed: a test', rate: 'assumed: a test' }
`;

function folderWith(text: string): string {
  const folder = inDataDir('providers');
  mkdirSync(folder, { recursive: true });
  writeFileSync(inDataDir('providers', 'shelf.yaml'), text);
  return folder;
}

const words = ['--object', 'parts', '--mark', 'number', '--text', 'note', '--absent-id', 'part-0', '--leave'];

it('a provider of a folder of yours, at its own address', async () => {
  const env = { SHELF_ACCESS_TOKEN: 'key-of-ana', SLUICE_PROVIDERS_DIR: folderWith(file(address)) };
  const { code, text } = await command('shelf', env, [...words, '--with', 'kind=bolt', '--out', inDataDir('out.json')])
    .ended;
  expect(text).toContain(`, at ${address}\n`);
  expect(text).toMatch(/^search by equality +a page of up to 20 +the record, and no other +ok$/m);
  expect(text).toMatch(/^update of what is not there +not-found +not-found +ok$/m);
  // Its search does not return the changed field: the row shows that, and is not "ok".
  expect(text).toMatch(
    /^update +the field that was sent, and no other +accepted, not read back: a search does not show note +not tried$/m,
  );
  expect(text).toContain('replays to the same findings');
  expect([code, items]).toEqual([
    0,
    [{ key: 'part-1-acme', number: expect.any(String), note: 'Certified', kind: 'bolt' }],
  ]);
  const recording = readFileSync(inDataDir('out.json'), 'utf8');
  expect(recording).not.toMatch(/ana|l[oó]pez|acme/i);
  expect(JSON.parse(recording)).toMatchObject({ provider: 'shelf', source: 'account', words: { object: 'parts' } });
});

it.each([
  [['--mark', 'number'], '--text: name a text field of parts that can be changed, other than number.'],
  [['--text', 'note'], '--mark: name the text field of parts that takes the mark.'],
  [['--object', 'boxes'], '--object: must be an object of shelf: parts.'],
  [[...words, '--with', 'kind'], "--with: must be name=value, not 'kind'."],
])('names the missing option: %j', async (more, line) => {
  const env = { SHELF_ACCESS_TOKEN: 'key-of-ana', SLUICE_PROVIDERS_DIR: folderWith(file(address)) };
  const { code, text } = await command('shelf', env, more).ended;
  expect([code, text]).toEqual([2, `${line}\n`]);
  expect(items).toEqual([]);
});

it('a file that breaks a rule: its line is named', async () => {
  const env = { SHELF_ACCESS_TOKEN: 'k', SLUICE_PROVIDERS_DIR: folderWith(file('http://shelf.example')) };
  const { code, text } = await command('shelf', env, words).ended;
  expect(text).toMatch(/shelf\.yaml:5:\d+ baseUrl must be https/);
  expect(code).not.toBe(0);
});
