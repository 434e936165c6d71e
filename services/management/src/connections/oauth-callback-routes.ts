import { randomBytes } from 'node:crypto';
import { route, type Router } from '@sluice/http';
import { callbackPath } from '../callback-address';
import { callbackPage } from './callback-page';
import type { ManagementContext } from '../context';
import { finishAuthorization } from './finish-authorization';

interface CallbackParts {
  readonly query: Readonly<Record<string, string>> & {
    readonly state?: string;
    readonly code?: string;
    readonly error?: string;
    readonly error_description?: string;
  };
}

/** Longer than any code or text that a provider is known to send. */
const word = { type: 'string', maxLength: 4096 } as const;
/** Providers add parameters of their own; those that say where an account is are the connector's to read, all others are ignored. */
const query = {
  type: 'object',
  properties: { state: word, code: word, error: word, error_description: word },
} as const;

/** `GET /callbacks/v1/oauth`: where a provider sends a customer back to. Open: the state is what proves who returns. */
export function oauthCallbackRoutes(router: Router, context: ManagementContext): void {
  router.get(
    callbackPath,
    route<CallbackParts>({
      isInternal: true,
      query,
      handle: async (request) => {
        const { state, code, error, error_description: errorDescription } = request.query;
        const cookies = request.header('cookie');
        const outcome = await finishAuthorization(context, {
          traceparent: request.traceparent,
          parameters: request.query,
          ...(state === undefined ? {} : { state }),
          ...(code === undefined ? {} : { code }),
          ...(error === undefined ? {} : { error }),
          ...(errorDescription === undefined ? {} : { errorDescription }),
          ...(cookies === undefined ? {} : { cookies }),
        });
        const { html, policy } = callbackPage(outcome, randomBytes(16).toString('base64'));
        return {
          status: outcome.ok ? 200 : 400,
          text: { contentType: 'text/html', content: html },
          headers: { 'Content-Security-Policy': policy },
        };
      },
    }),
  );
}
