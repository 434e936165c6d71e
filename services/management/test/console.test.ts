import { useManagement, type Sender } from './start-management';

const management = useManagement();
let send: Sender;
beforeAll(async () => {
  send = management.as();
});

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

it('is under 140 kB, compressed', async () => {
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
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(140_000);
});

it('loads what draws charts, and what reads YAML, when it is needed', async () => {
  const script = (await namesOfPage()).find((name) => name.endsWith('.js'));
  const { text } = await send.get(`/console/${script}`).expect(200);
  const parts = [...text.matchAll(/\bimport\("\.\/(part-\w+\.js)"\)/g)].map(([, name]) => name);
  expect(parts).toHaveLength(2);
  for (const part of parts) {
    const { headers } = await send.get(`/console/${part}`).set('accept-encoding', 'gzip').expect(200);
    expect(headers).toMatchObject({
      'content-type': expect.stringContaining('text/javascript'),
      'content-encoding': 'gzip',
    });
    expect(Number(headers['content-length'])).toBeLessThan(40_000);
  }
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

it('answers HEAD without a body', async () => {
  const reply = await fetch(`${management.url}/console`, { method: 'HEAD' });
  expect(Number(reply.headers.get('content-length'))).toBeGreaterThan(0);
  expect(await reply.text()).toBe('');
});
