import { useManagement } from './start-management';

const management = useManagement();
const get = (path: string) => management.as().get(path);

/** The pages that this service serves, each with where its files are. */
const pages = [
  { page: '/console', files: '/console' },
  { page: '/connect', files: '/connect' },
  { page: '/docs/guide', files: '/docs/guide' },
  { page: '/docs/guide', files: '/docs/guide/assets' },
  { page: '/docs/reference', files: '/docs/reference' },
] as const;

// A person who opens the address of the service; relative, for a proxy that puts a path before ours.
it('leads from / to the page that names all three', async () => {
  const { headers } = await get('/').expect(302);
  const { pathname } = new URL(headers['location'] ?? '', 'http://host/sluice/');
  expect(pathname).toBe('/sluice/docs/guide');
  const { text } = await get('/docs/guide').expect(200);
  for (const path of ['/console', '/docs/guide/quickstart', '/docs/reference'])
    expect(text).toContain(`href="${path}"`);
});

describe.each(pages)('$page, files in $files', ({ page, files }) => {
  it('is asked for again each time, and sent again only when it is another one', async () => {
    const { headers } = await get(page).expect(200);
    expect(headers['cache-control']).toBe('no-cache');
    const unchanged = await get(page).set('if-none-match', headers['etag'] ?? '');
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    await get(page).set('if-none-match', '"another"').expect(200);
  });

  it('its files are kept for good, and compressed: another content has another name', async () => {
    const { text } = await get(page).expect(200);
    const [, file = ''] = /(?:href|src)="([^"]+\.(?:css|js))"/.exec(text) ?? [];
    const { pathname } = new URL(file, `http://host${page}`);
    const { headers } = await get(pathname).set('accept-encoding', 'gzip').expect(200);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'gzip',
    });
  });

  it('leads from its address with a slash to the one without: its files are named beside it', async () => {
    const { headers } = await get(`${page}/`).expect(308);
    expect(new URL(headers['location'] ?? '', `http://host/sluice${page}/`).pathname).toBe(`/sluice${page}`);
  });

  it.each(['page-OLDHASH.js', '..%2fpackage.json', '%2e%2e%2findex.js', 'index.js', '__proto__'])(
    'has no file %s',
    async (name) => {
      const { body } = await get(`${files}/${name}`).expect(404);
      expect(body).toMatchObject({ code: 'request.path-unknown' });
    },
  );
});

// The builder's page opens this one and hears from it; no other page is opened by anybody, and none runs in a frame.
it('the connect page may be opened by a window of another origin, the console not', async () => {
  const policyOf = async (path: string) => {
    const { headers } = await get(path).expect(200);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'/,
    );
    return headers['cross-origin-opener-policy'];
  };
  expect([await policyOf('/connect'), await policyOf('/console')]).toEqual(['unsafe-none', 'same-origin']);
});

// One page for all: what is sent for an encoding is decided by one function.
it.each([
  ['gzip', 'gzip'],
  ['br, gzip;q=0.8', 'gzip'],
  ['*', 'gzip'],
  ['gzip;q=0.0, identity', undefined],
  ['xgzip', undefined],
])('accept-encoding: %s', async (accepted, sent) => {
  const { headers, text } = await get('/console').set('accept-encoding', accepted).expect(200);
  expect(headers['content-encoding']).toBe(sent);
  expect(headers['vary']).toContain('Accept-Encoding');
  // Unpacked by whoever asked, or never packed: the same page.
  expect(text).toContain('<!doctype html>');
});
