import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { FixtureWords } from '../src/create-fixture';
import { certify, certifySuite, inDataDir } from './certify-account';

certifySuite();

/** An API that is known to its file alone. Its search shows the number and nothing else. */
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
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const sent = chunks.length > 0 ? (JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>) : {};
  if (request.headers['x-shelf-key'] !== 'key-of-ana') return [401, { problem: 'unknown key' }];
  const { method, url = '' } = request;
  const owner = { fullName: 'Ana López', 'Ana López': true };
  const { pathname, searchParams } = new URL(url, address);
  if (pathname === '/whoami') return [200, { shop: 'acme-main-street', owner }];
  if (method === 'GET' && !searchParams.has('number')) return [400, { problem: `no filter: ${url}` }];
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

async function certifyShelf(words: FixtureWords, out: string) {
  mkdirSync(inDataDir('providers'));
  writeFileSync(inDataDir('providers', 'shelf.yaml'), file(address));
  const env = { SHELF_ACCESS_TOKEN: 'key-of-ana' };
  return await certify('shelf', { env, words, out, leave: true, providersDir: inDataDir('providers') });
}

const words = { object: 'parts', mark: 'number', text: 'note', absentId: 'part-0' };

it('a provider of a folder of yours, at its own address: what a search does not show is not called ok', async () => {
  const log = inDataDir('log.jsonl');
  const { code, text } = await certifyShelf({ ...words, with: ['kind=bolt'] }, log);
  expect(text).toContain(`, at ${address}\n`);
  expect(text).toMatch(/^ok +search: finds by equality/m);
  expect(text).toMatch(/^ok +update: no such record$/m);
  const hidden = 'accepted, not read back: a search does not show kind, note';
  expect(text).toMatch(new RegExp(`^not tried +update: changes what is sent and leaves the rest\n +${hidden}$`, 'm'));
  expect(code).toBe(0);
  expect(items[0]).toMatchObject({ number: expect.stringMatching(/^sluice-certify-/) as string, kind: 'bolt' });
  expect(readFileSync(log, 'utf8')).not.toMatch(/ana|l[oó]pez|acme|part-\d/i);
});

it.each<[FixtureWords, string]>([
  [{ mark: 'number' }, '--text: name a text field of parts that can be changed, other than number.'],
  [{ text: 'note' }, '--mark: name the text field of parts that takes the mark.'],
  [{ mark: 'number', text: 'note' }, '--absent-id: name an id that no record of parts has.'],
  [{ object: 'boxes' }, '--object: must be an object of shelf: parts.'],
  [{ ...words, with: ['kind'] }, "--with: must be name=value, not 'kind'."],
])('names the missing option: %j', async (given, line) => {
  await expect(certifyShelf(given, inDataDir('log.jsonl'))).rejects.toThrow(line);
  expect(items).toEqual([]);
});
