import { addressPolicy, createBoundedFetch, type ReplyRoom } from '@sluice/connectors';
import { ByteBudget, heapShare, HeldBytes } from '@sluice/telemetry';
import type * as openid from 'openid-client';
import type { ManagementConfig } from '../config';
import { publicAddress } from '../config';

export const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/** A person who signed in at the OpenID provider. */
export interface Person {
  readonly issuer: string;
  /** `sub` of the ID token: with the issuer it stays the same when the person's name or address changes. */
  readonly subject: string;
  /** For the person's own page: verified e-mail address, else name of the account, else `sub`; at most 200 characters. */
  readonly name: string;
  readonly role: Role;
}

/** The values that the return of a sign-in is checked against. Kept by the browser that began, sealed. */
export interface BegunSignIn {
  /** Also the id under which the sign-in is taken, once, and that of the session. */
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The OpenID provider of `SLUICE_OIDC_ISSUER`. */
export interface OpenIdProvider {
  /** Where to send the browser. @throws Error when the provider does not answer within 5 s, or not as OpenID providers do */
  begin(): Promise<{ readonly url: string; readonly begun: BegunSignIn }>;
  /**
   * Changes the code of a return into who signed in. Undefined: the person has none of the roles.
   * @param query of the return, with its `?`
   * @throws Error when the return or the ID token breaks a rule of OpenID Connect, and as `begin`
   */
  finish(query: string, begun: BegunSignIn): Promise<Person | undefined>;
}

type Library = typeof openid;
type SignInConfig = Pick<
  ManagementConfig,
  | 'oidcIssuer'
  | 'oidcClientId'
  | 'oidcClientSecret'
  | 'oidcScopes'
  | 'oidcRolesClaim'
  | 'oidcViewers'
  | 'oidcOperators'
  | 'oidcAdmins'
  | 'egressAllow'
  | 'publicUrl'
  | 'port'
>;

/** Path under the public address; its whole address is registered at the provider. */
const signedInPath = '/console/signed-in';

/** Longest wait for an answer of the provider, in milliseconds: a person looks at an empty page meanwhile. */
const timeoutMs = 5_000;
/** Largest reply that is read, in bytes. Our choice: tokens, keys and the description of a provider have some ten kB. */
const replyBytesMax = 131_072;
/** Memory that the replies of one sign-in may take: their text, its JSON and the JSON within the ID token. */
const signInBytes = 16 * replyBytesMax;
/** Of the heap, for all sign-ins at once; the others wait for their turn. */
const signInShare = 8;
const tooMany = `so many people sign in at once that there was no turn within ${timeoutMs} ms`;

/**
 * @param replyRoom where its replies are counted, beside those of providers
 * @returns undefined: no issuer is configured. Nothing is loaded or asked before the first sign-in
 */
export function openIdProvider(config: SignInConfig, replyRoom: ReplyRoom): OpenIdProvider | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId } = config;
  if (issuer === undefined || clientId === undefined) return undefined;
  let discovered: Promise<openid.Configuration> | undefined;
  const discover = async (library: Library): Promise<openid.Configuration> => {
    discovered ??= ask(library, { ...config, replyRoom }, new URL(issuer), clientId);
    try {
      return await discovered;
    } catch (error) {
      // The next sign-in asks again.
      discovered = undefined;
      throw error;
    }
  };
  const redirectUri = `${publicAddress(config)}${signedInPath}`;
  const capacity = new ByteBudget(heapShare(signInShare));
  return {
    begin: async () => {
      const library = await import('openid-client');
      const provider = await discover(library);
      const begun = {
        state: library.randomState(),
        nonce: library.randomNonce(),
        verifier: library.randomPKCECodeVerifier(),
      };
      const url = library.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: [...new Set(['openid', ...config.oidcScopes])].join(' '),
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, begun };
    },
    finish: async (query, { state, nonce, verifier }) => {
      const library = await import('openid-client');
      const held = new HeldBytes(`sign-in:${state}`);
      try {
        if (!(await capacity.take(signInBytes, performance.now() + timeoutMs, held))) throw new Error(tooMany);
        const tokens = await library.authorizationCodeGrant(await discover(library), new URL(redirectUri + query), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        return personOf({ ...tokens.claims() }, config);
      } finally {
        held.end();
      }
    },
  };
}

async function ask(
  library: Library,
  { oidcClientSecret: secret, egressAllow, replyRoom }: SignInConfig & { readonly replyRoom: ReplyRoom },
  issuer: URL,
  clientId: string,
): Promise<openid.Configuration> {
  const authentication = secret === undefined ? library.None() : library.ClientSecretPost(secret);
  // Only on this machine: `assertSignIn` refuses any other issuer without TLS.
  const insecure = issuer.protocol === 'http:' ? [library.allowInsecureRequests] : [];
  // TLS alone would say that the ID token is the provider's. Its signature says so whatever lies between.
  const execute = [library.enableNonRepudiationChecks, ...insecure];
  // The library's own `fetch` reads a reply of any size, and goes wherever the provider's description says.
  const egress = { policy: addressPolicy(egressAllow), trustedOrigins: [issuer.origin] };
  const bounds = { timeoutMs, bytesMax: replyBytesMax, owner: 'sign-in', replyRoom };
  return await library.discovery(issuer, clientId, undefined, authentication, {
    timeout: timeoutMs / 1_000,
    execute,
    [library.customFetch]: createBoundedFetch({ egress, ...bounds }),
  });
}

/** @returns undefined: it has none of the roles @throws Error for a `sub` that breaks the rule */
function personOf(claims: Readonly<Record<string, unknown>>, config: SignInConfig): Person | undefined {
  const role = roleOf(claims[config.oidcRolesClaim], config);
  const subject = String(claims['sub']);
  if (!subjectForm.test(subject)) throw new Error('the sub of the ID token is not 1 to 255 ASCII characters');
  return role && { issuer: String(claims['iss']), subject, name: nameOf(claims), role };
}

/** The highest role that one of the values gives. */
function roleOf(claim: unknown, { oidcViewers, oidcOperators, oidcAdmins }: SignInConfig): Role | undefined {
  const values = (Array.isArray(claim) ? claim : [claim]).filter((value) => typeof value === 'string');
  const has = (named: readonly string[]) => values.some((value) => named.includes(value));
  if (has(oidcAdmins)) return 'admin';
  if (has(oidcOperators)) return 'operator';
  return has(oidcViewers) ? 'viewer' : undefined;
}

/** Source: OpenID Connect Core 1.0, section 2. */
const subjectForm = /^[\x20-\x7e]{1,255}$/;
const nameCharactersMax = 200;

/** Only a verified address is shown as one: an unverified one may belong to another person. */
function nameOf(claims: Readonly<Record<string, unknown>>): string {
  const email = claims['email_verified'] === true ? claims['email'] : undefined;
  const chosen = [claims['preferred_username'], claims['name']].filter((one) => !String(one).includes('@'));
  const name = [email, ...chosen, claims['sub']].find((one) => typeof one === 'string' && one.trim() !== '');
  return String(name).replaceAll(/\p{C}/gu, '').trim().slice(0, nameCharactersMax);
}
