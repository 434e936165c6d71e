import { Html, html } from './html';

it.each([
  ['markup', '<b>', '&lt;b&gt;'],
  ['quotes', `"a" 'b'`, '&quot;a&quot; &#39;b&#39;'],
  ['an entity', '&lt;', '&amp;lt;'],
  ['a number', 7, '7'],
  ['nothing', undefined, ''],
  ['a list', ['<', html`<i>${'>'}</i>`], '&lt;<i>&gt;</i>'],
])('escapes %s', (_name, value, expected) => {
  expect(html`<p title="${value}">${value}</p>`.text).toBe(`<p title="${expected}">${expected}</p>`);
});

it('leaves markup of our own as it is', () => {
  expect(html`<p>${new Html('<hr />')}</p>`.text).toBe('<p><hr /></p>');
});
