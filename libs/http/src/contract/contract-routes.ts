import type { RequestHandler } from 'express';
import { createRouter } from '../router';
import type { BuiltDocument } from './build-document';
import { docsPage, docsPolicy } from './docs-page';

/** `GET /openapi.json` and `GET /docs`: the contract, for programs and for people. Open, as the contract is no secret. */
export function contractRoutes({ document }: BuiltDocument, service: string): RequestHandler {
  const { router, handle } = createRouter(service);
  const text = JSON.stringify(document);
  let page: string | undefined;
  router.get('/openapi.json', (_req, res) => {
    res.setHeader('Content-Type', 'application/json');
    res.end(text);
  });
  router.get('/docs', (_req, res) => {
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.setHeader('Content-Security-Policy', docsPolicy);
    res.end((page ??= docsPage(document)));
  });
  return handle;
}
