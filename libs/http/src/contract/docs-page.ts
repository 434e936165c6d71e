import { createHash } from 'node:crypto';
import { escapeHtml } from '../escape-html';
import { describeOperation } from './docs-operation';
import { memberTable } from './docs-members';
import type { OpenApiDocument, OpenApiOperation } from './openapi';

const style = `
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h2{margin-top:3rem;border-bottom:2px solid #ccc}h3{margin-top:2.5rem}
code,pre{font:14px/1.45 ui-monospace,monospace}pre{background:#f4f4f4;padding:.75rem;overflow-x:auto}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .5rem;border-bottom:1px solid #ddd}
.problems{color:#555;font-size:.9rem}
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#161616}pre{background:#242424}a{color:#8ab4f8}.problems{color:#aaa}}
`;

/** The page has one style and nothing else: no script, no image, no other address. Source: CSP level 3, hash sources. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

/** The document as one page for people, by tag. */
export function docsPage(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const title = escapeHtml(info.title);
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<h3 id="schema-${escapeHtml(name)}">${escapeHtml(name)}</h3>${text(schema['description'])}${memberTable(schema)}`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${style}</style></head>
<body><h1>${title}</h1><p>Version ${escapeHtml(info.version)}; as a program reads it: <a href="/openapi.json">openapi.json</a></p>
${info.description
  .split('\n\n')
  .map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`)
  .join('\n')}
<nav><h2>Contents</h2>${tags.map(({ name }) => contents(document, name)).join('\n')}</nav>
${tags.map((tag) => `<h2>${escapeHtml(tag.name)}</h2>${text(tag.description)}${section(document, tag.name)}`).join('\n')}
<h2>Schemas</h2>${schemas.join('\n')}
</body></html>
`;
}

interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

function operationsOf({ paths }: OpenApiDocument, tag: string): Placed[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function contents(document: OpenApiDocument, tag: string): string {
  const lines = operationsOf(document, tag).map(
    ({ operation }) => `<li><a href="#${operation.operationId}">${escapeHtml(operation.summary)}</a></li>`,
  );
  return `<p>${escapeHtml(tag)}</p><ul>${lines.join('')}</ul>`;
}

function section(document: OpenApiDocument, tag: string): string {
  return operationsOf(document, tag)
    .map(({ method, path, operation }) => describeOperation(document, `${method} ${path}`, operation))
    .join('\n');
}

const text = (sentence: unknown) => (typeof sentence === 'string' ? `<p>${escapeHtml(sentence)}</p>` : '');
