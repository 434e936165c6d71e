import type { RequestHandler, Response } from 'express';
import { DefectError } from '@sluice/errors';
import type { Logger } from '@sluice/telemetry';
import { presentProblem } from '../problem-handler';
import { localsOf } from '../request-locals';
import type { BuiltDocument } from './build-document';
import { createReplyChecker, type ReplyChecker } from './reply-checker';

/**
 * Looks at every reply just before it leaves. One that breaks the document becomes a 500 that says how: the test that caused it
 * fails, and so does whoever calls a staging system.
 */
export function checkReplies({ document, paths }: BuiltDocument, logger: Logger): RequestHandler {
  let checker: ReplyChecker | undefined;
  return (req, res, next) => {
    const end = res.end.bind(res) as (chunk?: unknown, ...rest: unknown[]) => Response;
    res.end = ((chunk?: unknown, ...rest: unknown[]) => {
      if (res.headersSent) return end(chunk, ...rest);
      checker ??= createReplyChecker(document);
      const { route } = localsOf(res);
      const fault = checker({
        method: req.method,
        path: route === undefined ? undefined : paths.get(`${methodName(req.method)} ${route}`),
        status: res.statusCode,
        contentType: res.getHeader('content-type')?.toString(),
        hasHeader: (name) => res.hasHeader(name),
        text: typeof chunk === 'string' ? chunk : '',
      });
      if (fault === undefined) return end(chunk, ...rest);
      logger.error({ method: req.method, route, status: res.statusCode, fault }, 'http.contract-broken');
      return end(asDefect(res, `The reply ${res.statusCode} breaks the contract: ${fault}.`));
    }) as typeof res.end;
    next();
  };
}

function asDefect(res: Response, detail: string): string {
  const error = new DefectError({ code: 'service.defect', detail });
  const { document } = presentProblem(error, localsOf(res).requestId);
  const text = JSON.stringify({ ...document, detail });
  res.statusCode = document.status;
  res.setHeader('Content-Type', 'application/problem+json');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  return text;
}

const methodName = (method: string): string => (method === 'HEAD' ? 'get' : method.toLowerCase());
