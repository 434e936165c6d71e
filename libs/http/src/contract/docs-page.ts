import { createHash } from 'node:crypto';
import { escapeHtml } from '../problem-handler';
import type { OpenApiDocument } from './route-contract';

const style = `
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
code{font:14px/1.45 ui-monospace,monospace;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#161616}a{color:#8ab4f8}}
`;

/** The page has one style and nothing else: no script, no image, no other address. Source: CSP level 3, hash sources. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

/** What a service is asked for, on one short page. The whole reference, with examples, is a page of the management service. */
export function docsPage({ info, paths }: OpenApiDocument): string {
  const title = escapeHtml(info.title);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { summary }]) => {
      return `<li><code>${escapeHtml(`${method.toUpperCase()} ${path}`)}</code> ${escapeHtml(summary)}</li>`;
    }),
  );
  const paragraphs = info.description.split('\n\n').map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${style}</style></head>
<body><h1>${title}</h1>
<p>The reference of all APIs, with examples and a form to try each request, is <code>/docs/reference</code> of the management service.
For programs: <a href="openapi.json">openapi.json</a>.</p>
${paragraphs.join('\n')}
<ul>${operations.join('\n')}</ul>
</body></html>
`;
}
