import { NotFoundError } from '@sluice/errors';
import { pageHeader, routesUnder, type Router } from '@sluice/http';
import type { ManagementContext } from '../context';
import type { Person } from './openid';
import { beganCookies, beginSession, endSession, personIn, takeBegun } from './session';

/** Why the console shows its sign-in page again. */
type Refusal = 'unavailable' | 'expired' | 'refused' | 'no-role';

/** Longer than any code, state or text that a provider is known to send. */
const word = { type: 'string', maxLength: 4096 } as const;
/** Providers add parameters of their own. */
const returnQuery = { type: 'object', properties: { code: word, state: word, error: word, iss: word } } as const;

/**
 * Routes by which people sign in to the console. `GET /console/sign-in` sends the browser to the OpenID provider, which sends it back to `GET
 * /console/signed-in`. `GET /console/session` returns who is signed in. `POST /console/sign-out` ends the session here. Open: they are what makes a
 * caller.
 */
export function signInRoutes(router: Router, context: ManagementContext): void {
  const { logger, openId } = context;
  const routes = routesUnder(router, '/console', { isInternal: true, find: () => undefined });
  const refuse = (refusal: Refusal, ended: readonly string[] = []) => {
    return { status: 302, headers: { Location: `../console?sign-in=${refusal}` }, cookies: ended };
  };
  routes.get('/session', 'showSession', {
    answer: async (request) => {
      const person = openId && (await personIn(context, request.header('cookie')));
      return {
        hasSignIn: openId !== undefined,
        ...(person && {
          person: { name: person.name, role: person.role, until: new Date(person.until).toISOString() },
        }),
      };
    },
  });
  routes.get('/sign-in', 'beginSignIn', {
    handle: async (request) => {
      if (openId === undefined) throw notConfigured();
      try {
        const { url, begun } = await openId.begin();
        const cookies = beganCookies(context, begun, request.header('cookie'));
        return { status: 302, headers: { Location: url }, cookies };
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
      const taken = await takeBegun(context, request.header('cookie'), request.query.state);
      if (taken === undefined) return refuse('expired');
      const { begun, ended } = taken;
      let person: Person | undefined;
      try {
        person = await openId.finish(new URL(request.url, 'http://host.invalid').search, begun);
      } catch (error) {
        logger.warn({ issuer: context.config.oidcIssuer, cause: (error as Error).message }, 'sign-in.refused');
        return refuse('refused', [ended]);
      }
      if (person === undefined) {
        logger.info({ claim: context.config.oidcRolesClaim }, 'sign-in.no-role');
        return refuse('no-role', [ended]);
      }
      const { id, cookie } = await beginSession(context, begun, person);
      const { issuer, subject, role } = person;
      logger.info({ person: id, issuer, subject, role }, 'sign-in.done');
      return { status: 302, headers: { Location: '../console' }, cookies: [ended, cookie] };
    },
  });
  routes.post('/sign-out', 'signOut', {
    // A page of another site cannot send that header.
    handle: async (request) => {
      if (request.header(pageHeader) === undefined) return { status: 204 };
      return { status: 204, cookies: [await endSession(context, request.header('cookie'))] };
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
