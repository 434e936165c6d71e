import { callbackPage } from './callback-page';

const nonce = 'bm9uY2U=';
const owner = { app: 'Acme <Mail>', group: '"Beta" & Co (beta)', provider: 'HubSpot' };

it('sends the id of the connection to the opener', () => {
  const { html, policy } = callbackPage(
    { ok: true, connectionId: 'c-1', owner, openerOrigin: 'https://a.example' },
    nonce,
  );
  expect(html).toContain(
    'window.opener.postMessage({"eventType":"AUTHORIZATION_SUCCEEDED","data":{"connection":"c-1"}}, "https://a.example");',
  );
  expect(policy).toContain(`script-src 'nonce-${nonce}'`);
  expect(policy).not.toContain('unsafe');
});

// The customer should see the app that they came from, not a bare page of somebody they do not know.
it("is in our style, under the name of the builder's app, and loads nothing", () => {
  for (const outcome of [
    { ok: true, connectionId: 'c-1', owner } as const,
    { ok: false, error: 'no', owner } as const,
  ]) {
    const { html, policy } = callbackPage(outcome, nonce);
    expect(html).toMatch(/<title>(Not c|C)onnected - Acme &lt;Mail&gt;<\/title>/);
    expect(html).toContain('<p class="app"><bdi>Acme &lt;Mail&gt;</bdi></p>\n<h1>');
    expect(html).toContain(`<style nonce="${nonce}">`);
    expect(html).toContain('name="viewport"');
    expect(html).toContain('prefers-color-scheme: dark');
    expect(policy).toContain(`style-src 'nonce-${nonce}'`);
    expect(html).not.toMatch(/ style=|url\(|@import|src=|href=/);
  }
});

it('names no app for a link that nobody knows', () => {
  const { html } = callbackPage({ ok: false, error: 'no' }, nonce);
  expect(html).toContain('<title>Not connected</title>');
  expect(html).not.toContain('class="app"');
});

// Who was sent somebody else's link sees whose it is.
it.each([
  ['made', { ok: true, connectionId: 'c-1', owner } as const],
  ['refused', { ok: false, error: 'no', owner } as const],
])('names app and group of a connection that was %s, as text', (_what, outcome) => {
  const { html } = callbackPage(outcome, nonce);
  for (const name of ['Acme &lt;Mail&gt;', '&quot;Beta&quot; &amp; Co (beta)', 'HubSpot']) {
    expect(html).toContain(`<bdi>${name}</bdi>`);
  }
  expect(html).not.toContain('<Mail>');
});

// A provider's words end up on the page: they are text there, and a string in the script.
it.each([
  '</script><script>alert(1)</script>',
  '<!--<script>',
  '"); alert(1); ("',
  "'onload='x",
  '\u2028alert(1)',
  '&lt;',
])('keeps %j from becoming markup or script', (error) => {
  const { html } = callbackPage({ ok: false, error }, nonce);
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html.match(/<\/script>/g)).toHaveLength(1);
  expect(html).not.toContain('<!--');
  const [, message = ''] = /postMessage\((.*), "\*"\);<\/script>/.exec(html) ?? [];
  expect(message).not.toContain('\u2028');
  expect(JSON.parse(message)).toEqual({ eventType: 'AUTHORIZATION_FAILED', data: { error } });
});
