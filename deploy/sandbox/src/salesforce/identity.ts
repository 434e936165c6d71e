import { notFound } from './errors';
import type { ApiAction, Org } from './org';

/** The identity URL of the integration user: what a token reply carries as `id`. */
export const identityUrl = (origin: string, { orgId, userId }: Pick<Org, 'orgId' | 'userId'>): string =>
  `${origin}/id/${orgId}/${userId}`;

export const usernameOf = (name: string): string => `integration@${name.toLowerCase()}.example`;

/** `GET /services/oauth2/userinfo` -> who the token belongs to, in OpenID words. */
export const userinfo: ApiAction = ({ org, origin }) => ({
  status: 200,
  body: {
    sub: identityUrl(origin, org),
    user_id: org.userId,
    organization_id: org.orgId,
    preferred_username: usernameOf(org.name),
    nickname: 'integration',
    name: 'Integration User',
    given_name: 'Integration',
    family_name: 'User',
    email: usernameOf(org.name),
    email_verified: true,
    active: true,
    user_type: 'STANDARD',
    zoneinfo: 'Etc/UTC',
    locale: 'en_US',
    urls: urlsOf(origin, org),
  },
});

/** `GET /id/{org}/{user}` -> the same in the words of the identity URL. */
export const identity: ApiAction = ({ org, origin, params }) => {
  if (params.org !== org.orgId || params.user !== org.userId) throw notFound();
  return {
    status: 200,
    body: {
      id: identityUrl(origin, org),
      asserted_user: true,
      user_id: org.userId,
      organization_id: org.orgId,
      username: usernameOf(org.name),
      display_name: 'Integration User',
      email: usernameOf(org.name),
      active: true,
      user_type: 'STANDARD',
      urls: urlsOf(origin, org),
    },
  };
};

/** The org's own domain in its own words; the others lead back to the sandbox. */
const urlsOf = (origin: string, { workspaceRef }: Org): Record<string, string> => ({
  custom_domain: `https://${workspaceRef}.my.salesforce.com`,
  rest: `${origin}/services/data/v{version}/`,
  sobjects: `${origin}/services/data/v{version}/sobjects/`,
});
