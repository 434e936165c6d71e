import { NotFoundError } from '@sluice/errors';
import { pageHeader, routesUnder, type Router } from '@sluice/http';
import type { ManagementContext } from '../context';
import { beganCookie, begunIn, endedSessionCookie, personIn, sessionCookie } from './session';

/** Why the console shows its sign-in page again. */
type Refusal = 'unavailable' | 'expired' | 'refused' | 'no-role';

/** Longer than any code, state or text that a provider is known to send. */
const word = { type: 'string', maxLength: 4096 } as const;
/** Providers add parameters of their own. */
const returnQuery = { type: 'object', properties: { code: word, state: word, error: word, iss: word } } as const;

/**
 * How people sign in to the console: `GET /console/sign-in` sends the browser to the OpenID provider, `GET /console/signed-in` is where that sends
 * it back to, `GET /console/session` says who is signed in, `POST /console/sign-out` ends it here. Open: they are what makes a caller.
 */
export function signInRoutes(router: Router, context: ManagementContext): void {
  const { logger, openId } = context;
  const routes = routesUnder(router, '/console', { isInternal: true, find: () => undefined });
  const refuse = (refusal: Refusal) => ({ status: 302, headers: { Location: `../console?sign-in=${refusal}` } });
  routes.get('/session', 'showSession', {
    answer: (request) => {
      const person = openId && personIn(context, request.header('cookie'));
      return {
        hasSignIn: openId !== undefined,
        ...(person && {
          person: { name: person.name, role: person.role, until: new Date(person.until).toISOString() },
        }),
      };
    },
  });
  routes.get('/sign-in', 'beginSignIn', {
    handle: async () => {
      if (openId === undefined) throw notConfigured();
      try {
        const { url, begun } = await openId.begin();
        return { status: 302, headers: { Location: url, 'Set-Cookie': beganCookie(context, begun) } };
      } catch (error) {
        logger.warn({ issuer: context.config.oidcIssuer, cause: (error as Error).message }, 'sign-in.unavailable');
        return refuse('unavailable');
      }
    },
  });
  routes.get('/signed-in', 'finishSignIn', {
    query: returnQuery,
    handle: async (request) => {
      if (openId === undefined) throw notConfigured();
      const begun = begunIn(context, request.header('cookie'));
      if (begun === undefined) return refuse('expired');
      try {
        const person = await openId.finish(new URL(request.url, 'http://host.invalid').search, begun);
        if (person === undefined) {
          logger.info({ claim: context.config.oidcRolesClaim }, 'sign-in.no-role');
          return refuse('no-role');
        }
        logger.info({ person: person.name, subject: person.subject, role: person.role }, 'sign-in.done');
        return { status: 302, headers: { Location: '../console', 'Set-Cookie': sessionCookie(context, person) } };
      } catch (error) {
        logger.warn({ issuer: context.config.oidcIssuer, cause: (error as Error).message }, 'sign-in.refused');
        return refuse('refused');
      }
    },
  });
  routes.post('/sign-out', 'signOut', {
    // A page of another site cannot send that header.
    handle: (request) => {
      if (request.header(pageHeader) === undefined) return { status: 204 };
      return { status: 204, headers: { 'Set-Cookie': endedSessionCookie(context) } };
    },
  });
}

function notConfigured(): NotFoundError {
  return new NotFoundError({
    code: 'request.path-unknown',
    detail: 'People sign in here with an API key: no OpenID provider is configured.',
    remedy: 'Set SLUICE_OIDC_ISSUER and SLUICE_OIDC_CLIENT_ID of the management service.',
  });
}
