import type { Router } from '@sluice/http';
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
}
