import { sendJson, type RequestHandler, type Router } from '@sluice/http';
import type { Sandbox } from '../sandbox';
import { providerHandler } from './provider-handler';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Registers the addresses of every provider: what lies under them and is not imitated is answered by the provider too. */
export function providerRoutes(sandbox: Sandbox, router: Router): void {
  for (const provider of sandbox.providers) {
    const handler = providerHandler(sandbox, provider);
    for (const segment of provider.segments) {
      for (const method of methods) router[method](`/${segment}/*rest`, handler);
    }
  }
  const known = sandbox.providers.flatMap(({ segments }) => segments).filter((segment) => segment.startsWith('rest/'));
  for (const method of methods) router[method]('/rest/*rest', notImitated(known));
}

/** A provider file of the builder's own, in a demo whose every provider is the sandbox: nothing goes on to the real one. */
function notImitated(known: readonly string[]): RequestHandler {
  return (req, res) => {
    const [, , name = ''] = req.path.split('/');
    const names = known.map((segment) => segment.slice('rest/'.length)).join(', ');
    const message = `The sandbox imitates no provider called ${name}, and sends nothing on; it imitates: ${names}.`;
    sendJson(res, 501, { error: 'provider.not-imitated', message });
  };
}
