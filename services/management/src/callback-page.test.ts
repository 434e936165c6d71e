import { callbackPage } from './callback-page';

const nonce = 'bm9uY2U=';

it('tells the opener the id of the connection', () => {
  const { html, policy } = callbackPage({ ok: true, connectionId: 'c-1', openerOrigin: 'https://a.example' }, nonce);
  expect(html).toContain(
    'window.opener.postMessage({"eventType":"AUTHORIZATION_SUCCEEDED","data":{"connection":"c-1"}}, "https://a.example");',
  );
  expect(policy).toContain(`script-src 'nonce-${nonce}'`);
  expect(policy).not.toContain('unsafe');
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
