import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { referenceFolder } from '@sluice/reference';
import { startManagement, type RunningManagement, type Sender } from './start-management';

let management: RunningManagement;
let send: Sender;
beforeAll(async () => {
  const env = {
    SLUICE_PUBLIC_SEARCH_URL: 'https://search.example/sluice/',
    SLUICE_PUBLIC_WRITE_URL: 'https://write.example',
  };
  management = await startManagement(undefined, undefined, env);
  send = management.as();
});
afterAll(() => management.stop());

const directive = (policy: string | undefined, name: string) =>
  policy?.split('; ').find((one) => one.startsWith(`${name} `));

it('lets the console call the write API, and no other', async () => {
  const { headers } = await send.get('/console').expect(200);
  expect(directive(headers['content-security-policy'], 'connect-src')).toBe("connect-src 'self' https://write.example");
});

it('runs its own scripts only, and may call the three APIs and nobody else', async () => {
  const { text, type, headers } = await send.get('/docs/reference').expect(200);
  expect(type).toBe('text/html');
  const policy = headers['content-security-policy'];
  expect(directive(policy, 'default-src')).toBe("default-src 'none'");
  expect(directive(policy, 'script-src')).toBe("script-src 'self'");
  expect(directive(policy, 'connect-src')).toBe("connect-src 'self' https://search.example https://write.example");
  expect(directive(policy, 'frame-ancestors')).toBe("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe-eval|\*|font-src|script-src[^;]*unsafe/);
  expect(text).not.toMatch(/<script(?![^>]*\ssrc="reference\/)|<[^>]+\son\w+=|https?:/);
});

it('says where the other two APIs are', async () => {
  const { body } = await send.get('/docs/reference/servers.json').expect(200);
  expect(body).toEqual({ search: 'https://search.example/sluice/v1', write: 'https://write.example/v1' });
});

it('is what /docs leads to, behind a proxy with a path too', async () => {
  for (const [path, location] of [
    ['/docs', '/sluice/docs/reference'],
    ['/docs/', '/sluice/docs/reference'],
    ['/docs/reference/', '/sluice/docs/reference'],
  ] as const) {
    const { status, headers } = await send.get(path);
    expect([302, 308]).toContain(status);
    expect(new URL(headers['location'] ?? '', `http://host/sluice${path}`).pathname).toBe(location);
  }
});

it('shows every operation of the published documents, each with a sample of the client', async () => {
  const [name = ''] = readdirSync(referenceFolder).filter((file) => /^api-\w+\.json$/.test(file));
  const { body } = await send.get(`/docs/reference/${name}`).expect(200).expect('content-type', 'application/json');
  const shown = Object.values((body as Document).paths).flatMap((item) => Object.values(item));
  const published = ['management', 'search', 'write'].flatMap((api) => {
    const file = join(__dirname, `../../../docs/api/${api}.openapi.json`);
    return Object.values((JSON.parse(readFileSync(file, 'utf8')) as Document).paths).flatMap((item) =>
      Object.values(item),
    );
  });
  const ids = (operations: readonly Operation[]) => operations.map(({ operationId }) => operationId).toSorted();
  expect(ids(shown)).toEqual(ids(published));
  for (const { operationId, 'x-codeSamples': samples = [] } of shown) {
    expect(samples.length).toBeGreaterThan(0);
    for (const { lang, source } of samples) expect(source).toContain(lang === 'js' ? `.${operationId}(` : 'curl ');
    // Ours come first, in this order: the page shows the first.
    expect([...new Set(samples.map(({ lang }) => lang))]).toEqual(['js', 'shell']);
  }
});

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly operationId: string;
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly source: string }[];
}

// The assistant and the icons of Scalar, which nothing here asks for, would double the files.
it('weighs at most 900 kB compressed when it opens, and 1.4 MB with all that it may load', () => {
  const all = readdirSync(referenceFolder);
  const read = (name: string) => readFileSync(join(referenceFolder, name));
  const weigh = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + gzipSync(read(name), { level: 9 }).length, 0);
  const first = new Set(all.filter((name) => /^(?:index|reference-|api-)/.test(name)));
  // What a module imports at its top is loaded with it. The set grows while it is walked.
  for (const name of first) {
    if (!name.endsWith('.js')) continue;
    for (const [, part = ''] of read(name)
      .toString()
      .matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g))
      first.add(part);
  }
  expect(first.size).toBeGreaterThan(4);
  expect(weigh(first)).toBeLessThan(900_000);
  expect(weigh(all)).toBeLessThan(1_400_000);
  expect(all.length).toBeLessThan(25);
});
