import type { Answer } from './_fake-hubspot';

/** HubSpot's token endpoint, with refresh tokens that are good once. */
export interface FakeTokens {
  /** Forms that were posted, in order. */
  readonly posted: Record<string, string>[];
  /** Access tokens that are answered with 401. */
  readonly expired: Set<string>;
  /** Refresh tokens that are good. */
  readonly good: Set<string>;
  /** The client secret that is taken. */
  clientSecret: string;
  /** Set: the answer to every post. */
  answer: Answer | undefined;
}

export const tokenPath = '/oauth/v1/token';

export function createFakeTokens(): FakeTokens {
  return { posted: [], expired: new Set(), good: new Set(), clientSecret: 'secret-1', answer: undefined };
}

/** What the token endpoint answers; each refresh rotates the pair. */
export function answerPost(tokens: FakeTokens, text: string): Answer {
  const form = Object.fromEntries(new URLSearchParams(text));
  tokens.posted.push(form);
  if (tokens.answer !== undefined) return tokens.answer;
  if (form['client_secret'] !== tokens.clientSecret) return flat('invalid_client', 'BAD_CLIENT_SECRET');
  const refreshToken = form['refresh_token'] ?? '';
  if (!tokens.good.delete(refreshToken)) return flat('invalid_grant', 'BAD_REFRESH_TOKEN');
  const next = `${refreshToken}'`;
  tokens.good.add(next);
  const body = {
    access_token: `fresh-of-${refreshToken}`,
    refresh_token: next,
    expires_in: 1800,
    token_type: 'bearer',
  };
  return { status: 200, body };
}

/** A failure of the token endpoint: the flat form of OAuth, not that of the CRM. */
function flat(error: string, status: string): Answer {
  return { status: 400, body: { error, error_description: `HubSpot says ${error}.`, status, message: 'no' } };
}
