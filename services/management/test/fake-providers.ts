import { hubspotRefusal, startScriptedProvider, type ProviderAnswer, type ProviderCall } from '@sluice/testkit';

/** An account. `objects`: the properties of each of its objects; an account without them has nothing to describe. */
export interface HubspotPortal {
  readonly portalId: number;
  readonly objects?: Readonly<Record<string, readonly object[]>>;
}

/** What HubSpot answers to a token: a portal, a refusal, or silence. */
export type TokenOutcome = HubspotPortal | { readonly status: number; readonly message: string } | 'hang-up';

/** The account that a token of Salesforce opens. `myDomain`: its labels; absent where Salesforce does not state it. */
export interface SalesforceAccount {
  readonly organizationId: string;
  readonly userId: string;
  readonly myDomain?: string;
}

/** A provider's token endpoint: what it was asked, and what it answers next. */
export interface TokenEndpoint {
  /** Forms that arrived, oldest first. */
  readonly asked: Readonly<Record<string, string>>[];
  /** By grant type. A grant that is not in it is refused with 400 `invalid_grant`. */
  readonly replies: Map<string, { readonly status: number; readonly body: object }>;
  /** By code, in place of the reply to its grant: so that each of two customers gets a token of their own. */
  readonly ofCodes: Map<string, { readonly status: number; readonly body: object }>;
  /** Each answer waits for it, so that requests are under way at one time. */
  gate: Promise<unknown>;
  answer(call: ProviderCall): Promise<ProviderAnswer>;
}

function createTokenEndpoint(): TokenEndpoint {
  const asked: TokenEndpoint['asked'] = [];
  const replies: TokenEndpoint['replies'] = new Map();
  const ofCodes: TokenEndpoint['ofCodes'] = new Map();
  const noGrant = { status: 400, body: { error: 'invalid_grant', error_description: 'no such grant' } };
  return {
    asked,
    replies,
    ofCodes,
    gate: Promise.resolve(),
    async answer({ text }) {
      const form = Object.fromEntries(new URLSearchParams(text));
      asked.push(form);
      await this.gate;
      return ofCodes.get(form['code'] ?? '') ?? replies.get(form['grant_type'] ?? '') ?? noGrant;
    },
  };
}

/** HubSpot's account, properties and token endpoints, and what each token opens: one that is not among `outcomes` is refused with 401. */
export async function startHubspot() {
  const outcomes = new Map<string, TokenOutcome>();
  const tokenEndpoint = createTokenEndpoint();
  const provider = await startScriptedProvider((call) => {
    if (call.path === '/oauth/2026-03/token') return tokenEndpoint.answer(call);
    const outcome = outcomes.get(call.token) ?? { status: 401, message: 'Authentication credentials not found.' };
    if (outcome === 'hang-up') return outcome;
    if ('portalId' in outcome) return portalAnswer(call.path, outcome);
    return hubspotRefusal(outcome.status, { message: outcome.message, category: 'INVALID_AUTHENTICATION' });
  });
  return Object.assign(provider, { outcomes, tokenEndpoint });
}

function portalAnswer(path: string, { portalId, objects }: HubspotPortal): ProviderAnswer {
  const asked = /^\/crm\/v3\/properties\/([^/?]+)/.exec(path)?.[1];
  if (path.startsWith('/crm-object-schemas/')) return hubspotRefusal(403, { category: 'MISSING_SCOPES' });
  if (asked === undefined || objects === undefined) return { status: 200, body: { portalId } };
  const results = Object.hasOwn(objects, asked) ? objects[asked] : undefined;
  return results
    ? { status: 200, body: { results } }
    : hubspotRefusal(400, { message: `Unable to infer object type from: ${asked}` });
}

/** `GET /services/oauth2/userinfo` and the token endpoint. A token that is not among `accounts` is refused, as Salesforce does: 403 in plain text. */
export async function startSalesforce() {
  const accounts = new Map<string, SalesforceAccount>();
  const tokenEndpoint = createTokenEndpoint();
  const provider = await startScriptedProvider((call) => {
    if (call.path === '/services/oauth2/token') return tokenEndpoint.answer(call);
    const isUserInfo = call.path === '/services/oauth2/userinfo';
    const account = accounts.get(call.token);
    if (!isUserInfo || account === undefined) {
      return { status: isUserInfo ? 403 : 404, body: 'Bad_OAuth_Token', headers: { 'Content-Type': 'text/plain' } };
    }
    const { organizationId, userId, myDomain } = account;
    const urls = myDomain === undefined ? {} : { custom_domain: `https://${myDomain}.my.salesforce.com` };
    return { status: 200, body: { organization_id: organizationId, user_id: userId, urls } };
  });
  return Object.assign(provider, { accounts, tokenEndpoint });
}

export type HubspotOfTest = Awaited<ReturnType<typeof startHubspot>>;
export type SalesforceOfTest = Awaited<ReturnType<typeof startSalesforce>>;
