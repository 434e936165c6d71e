/** Markup that is safe to send: ours, with every value in it escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

/** Builds markup; values are escaped, also inside (quoted) attributes. Undefined becomes nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, index) => part + (index < values.length ? textOf(values[index]) : '')).join(''));
}

function textOf(value: HtmlValue): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(textOf).join('');
  return escaped(String(value));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char] ?? '');
