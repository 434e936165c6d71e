import { startManagement, type RunningManagement, type Sender } from './start-management';

let management: RunningManagement;
let send: Sender;
beforeAll(async () => {
  management = await startManagement();
  send = management.as();
});
afterAll(() => management.stop());

/** Names of the files that the page asks for. */
async function namesOfPage(): Promise<string[]> {
  const { text } = await send.get('/console').expect(200);
  return [...text.matchAll(/(?:href|src)="console\/([^"]+)"/g)].map(([, name]) => name ?? '');
}

it('is a page with one script, one stylesheet and an icon', async () => {
  const names = await namesOfPage();
  expect(names.map((name) => name.replace(/-\w+\./, '-HASH.')).toSorted()).toEqual([
    'console-HASH.css',
    'console-HASH.js',
    'icon-HASH.svg',
  ]);
  const types = await Promise.all(names.map(async (name) => (await send.get(`/console/${name}`).expect(200)).type));
  expect(types.toSorted()).toEqual(['image/svg+xml', 'text/css', 'text/javascript']);
});

it('is under 60 kB, compressed', async () => {
  const names = await namesOfPage();
  const { text } = await send.get(`/console/${names.find((name) => name.endsWith('.js'))}`).expect(200);
  // What the script begins with is loaded before it runs.
  const needed = [...text.matchAll(/\bfrom"\.\/(part-\w+\.js)"/g)].map(([, name]) => name ?? '');
  const paths = ['/console', ...[...names, ...needed].map((name) => `/console/${name}`)];
  const sizes = await Promise.all(
    paths.map(async (path) => {
      const reply = await send.get(path).set('accept-encoding', 'gzip').expect(200);
      expect(reply.headers['content-encoding']).toBe('gzip');
      return Number(reply.headers['content-length']);
    }),
  );
  expect(sizes.every((size) => size > 0)).toBe(true);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
});

it('loads what draws charts when there is one to draw', async () => {
  const script = (await namesOfPage()).find((name) => name.endsWith('.js'));
  const { text } = await send.get(`/console/${script}`).expect(200);
  const parts = [...text.matchAll(/\bimport\("\.\/(part-\w+\.js)"\)/g)].map(([, name]) => name);
  expect(parts).toHaveLength(1);
  const { headers } = await send.get(`/console/${parts[0]}`).set('accept-encoding', 'gzip').expect(200);
  expect(headers).toMatchObject({
    'content-type': expect.stringContaining('text/javascript'),
    'content-encoding': 'gzip',
  });
  expect(Number(headers['content-length'])).toBeLessThan(30_000);
});

describe('its policy', () => {
  it('lets the page run its own files and ask its own origin, and nothing else', async () => {
    const { headers } = await send.get('/console').expect(200);
    const policy = (headers['content-security-policy'] ?? '').split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "form-action 'none'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(policy.join()).not.toMatch(/unsafe|nonce|https?:|\*/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  it('is kept by the page: nothing inline, nothing from elsewhere', async () => {
    const { text } = await send.get('/console');
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=|https?:|href="\/\//);
  });
});

describe('caching', () => {
  it('the page is asked for again each time, and sent again only when it is another one', async () => {
    const { headers } = await send.get('/console').expect(200);
    expect(headers['cache-control']).toBe('no-cache');
    const again = await send
      .get('/console')
      .set('if-none-match', headers['etag'] ?? '')
      .expect(304);
    expect(again.text).toBe('');
    await send.get('/console').set('if-none-match', '"another"').expect(200);
  });

  it('its files are kept for good: another content has another name', async () => {
    const [name] = await namesOfPage();
    const { headers } = await send.get(`/console/${name}`).expect(200);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });
});

describe('encodings', () => {
  it.each([
    ['gzip', 'gzip'],
    ['br, gzip;q=0.8', 'gzip'],
    ['*', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.0, identity', undefined],
    ['identity', undefined],
    ['xgzip', undefined],
  ])('accept-encoding: %s', async (accepted, sent) => {
    const { headers, text } = await send.get('/console').set('accept-encoding', accepted).expect(200);
    expect(headers['content-encoding']).toBe(sent);
    expect(headers['vary']).toContain('Accept-Encoding');
    // Unpacked by whoever asked, or never packed: the same page.
    expect(text).toContain('<!doctype html>');
  });
});

it('answers HEAD without a body', async () => {
  const reply = await fetch(`${management.url}/console`, { method: 'HEAD' });
  expect(Number(reply.headers.get('content-length'))).toBeGreaterThan(0);
  expect(await reply.text()).toBe('');
});

it('leads from the address with a slash to the one without: its files are named beside it', async () => {
  const { headers } = await send.get('/console/').expect(308);
  expect(new URL(headers['location'] ?? '', 'http://host/sluice/console/').pathname).toBe('/sluice/console');
});

it.each(['console-OLDHASH.js', '..%2fpackage.json', '%2e%2e%2findex.js', 'index.js', '__proto__'])(
  'there is no file %s',
  async (name) => {
    const { body } = await send.get(`/console/${name}`).expect(404);
    expect(body).toMatchObject({ code: 'request.path-unknown' });
  },
);
