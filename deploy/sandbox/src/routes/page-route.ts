import { createHash } from 'node:crypto';
import type { RequestHandler, Router } from '@sluice/http';
import { sandboxPage } from '../page/sandbox-page';
import { stylesheet } from '../page/stylesheet';
import type { Sandbox } from '../sandbox';

const styleHash = createHash('sha256').update(stylesheet).digest('base64');

/** Nothing may load, run or frame; the one inline stylesheet is allowed by its hash. */
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Registers the page at `/`. */
export function pageRoute(sandbox: Sandbox, router: Router): void {
  const show: RequestHandler = (req, res) => {
    const { searchParams } = new URL(req.originalUrl, 'http://localhost');
    const page = sandboxPage(sandbox, {
      account: searchParams.get('account'),
      isPaused: searchParams.get('refresh') === 'off',
    });
    res.setHeader('Content-Security-Policy', policy);
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.end(page);
  };
  router.get('/', show);
}
