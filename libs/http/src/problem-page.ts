import type { RequestHandler } from 'express';
import { problems, type Problem } from '@sluice/errors';
import { escapeHtml as escape } from './escape-html';
import { InboundError } from './inbound-error';
import { sendJson } from './send-json';

/** `GET /problems/{code}`: what the `type` of a problem document opens. HTML for a browser, JSON for a program. */
export const problemRoute: RequestHandler = (req, res) => {
  const code = String(req.params['code']);
  if (!Object.hasOwn(problems, code)) {
    throw new InboundError({ code: 'request.path-unknown', detail: 'There is no problem of this code.' });
  }
  const problem = problems[code as keyof typeof problems];
  res.setHeader('Vary', 'Accept');
  if (req.accepts(['json', 'html']) !== 'html') {
    sendJson(res, 200, { type: `/problems/${code}`, code, ...problem });
    return;
  }
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.end(page(code, problem));
};

/** The registry is our own text; it is escaped all the same, because a remedy may quote a tag one day. */
function page(code: string, problem: Problem): string {
  const title = escape(problem.title);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><h1>${title}</h1><p><code>${escape(code)}</code>, HTTP status ${problem.status}</p>
<h2>What to do</h2><p>${escape(problem.remedy)}</p></body></html>
`;
}
