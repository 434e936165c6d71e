import { DefectError, SluiceError } from '@sluice/errors';
import type { OAuthState } from '@sluice/store';
import type { FreshTokens } from '@sluice/connectors';
import { toldMetadata } from '@sluice/installations';
import { isSameWorkspace, metadataValues } from '@sluice/types';
import type { ManagementContext } from '../context';
import { hashOf, isHashed, projectOfSecret } from '../one-time-secrets';
import { contradiction } from '../refuse-issues';
import { learnAccount } from './learn-account';
import { cookieIn } from './oauth-cookie';
import { storeAuthorized } from './store-authorized';

/** How a customer came back from a provider's page. */
export interface Return {
  readonly state?: string;
  readonly code?: string;
  readonly error?: string;
  readonly errorDescription?: string;
  /** Every parameter of the query, as it was sent. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The `Cookie` header. */
  readonly cookies?: string;
  readonly traceparent: string;
}

/** For whom a link was made: what somebody who was sent another person's link can notice. */
export interface LinkOwner {
  /** The builder's app: `appName` of the project. */
  readonly app: string;
  /** Name and id of the group: whoever begins chooses the name, and a bearer token fixes the id. */
  readonly group: string;
  readonly provider: string;
}

/** What the page says to the window that opened it, and to the person. A link that nobody knows has no owner. */
export type Outcome = { readonly openerOrigin?: string } & (
  | { readonly ok: true; readonly connectionId: string; readonly owner: LinkOwner }
  | { readonly ok: false; readonly error: string; readonly owner?: LinkOwner }
);

/** The most of a provider's own words that is shown. */
const wordsMax = 500;

/**
 * Joins a return with what was begun, changes its code into tokens and stores them. Never throws for what a customer, a
 * provider or a stranger does: the outcome is shown on a page.
 */
export async function finishAuthorization(context: ManagementContext, returned: Return): Promise<Outcome> {
  const state = await takeState(context, returned.state);
  if (state === undefined)
    return failed('This link is unknown, was used before, or is older than ten minutes. Begin again.');
  const origin = state.openerOrigin === undefined ? {} : { openerOrigin: state.openerOrigin };
  let owner: LinkOwner | undefined;
  try {
    owner = await ownerOf(context, state);
    const connectionId = await connect(context, state, returned);
    return { ok: true, connectionId, owner, ...origin };
  } catch (error) {
    if (!(error instanceof SluiceError) || error instanceof DefectError) throw error;
    const { projectId, provider } = state;
    context.logger.warn({ projectId, provider, code: error.code, reason: error.detail }, 'authorization.failed');
    return { ...failed(error.detail), ...(owner && { owner }), ...origin };
  }
}

async function ownerOf({ store, connectors }: ManagementContext, state: OAuthState): Promise<LinkOwner> {
  const { projectId, provider, groupRef, groupName = groupRef } = state;
  const project = await store.projects.find(projectId, projectId);
  return {
    app: project?.appName ?? projectId,
    group: groupName === groupRef ? groupRef : `${groupName} (${groupRef})`,
    provider: connectors.find(provider)?.catalogue.displayName ?? provider,
  };
}

async function connect(context: ManagementContext, state: OAuthState, returned: Return): Promise<string> {
  const { cookieHash, stateHash, provider } = state;
  if (cookieHash !== undefined && !isHashed(cookieIn(returned.cookies, stateHash), cookieHash)) {
    throw refused('was begun in another browser; begin again in this one');
  }
  if (returned.error !== undefined) throw refused(`was ended by ${provider}: ${wordsOf(returned)}`);
  if (returned.code === undefined) throw refused(`came back from ${provider} without a code; begin again`);
  const { code, traceparent } = returned;
  // Before anything is sent: the code and the app's secret go to the place that the return names.
  const told = returnedMetadata(context, provider, returned.parameters);
  const begun = withMetadata(state, told);
  const tokens = await context.installations.exchangeCode({ code, state: begun, traceparent });
  const metadata = { ...told, ...toldMetadata(tokens.metadata ?? {}) };
  const placed = withMetadata(state, metadata);
  const account = await accountOf(context, placed, tokens, traceparent);
  refuseOtherChoice(state.workspaceRef, account.workspaceRef);
  const isTold = Object.keys(metadata).length > 0;
  return await storeAuthorized(context, { state: placed, tokens, account, ...(isTold && { toldMetadata: metadata }) });
}

/** What the provider says of the account's place stands over what was given when the authorization was begun. */
function withMetadata(state: OAuthState, told: NonNullable<OAuthState['providerMetadata']>): OAuthState {
  if (Object.keys(told).length === 0) return state;
  return { ...state, providerMetadata: { ...state.providerMetadata, ...told } };
}

/** The provider's answer to a question, else what its token reply says. */
async function accountOf(context: ManagementContext, state: OAuthState, tokens: FreshTokens, traceparent: string) {
  const { projectId, provider } = state;
  const { accessToken, workspaceRef: named, consumerRef: user } = tokens;
  const place = state.workspaceRef ?? named;
  const metadata = state.providerMetadata && metadataValues(state.providerMetadata);
  const auth = {
    accessToken,
    ...(place === undefined ? {} : { workspaceRef: place }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  const connector = context.connectors.get(provider);
  const asked = await learnAccount(context, { projectId, connector, auth, traceparent });
  const [workspaceRef, consumerRef] = [asked.workspaceRef ?? named, asked.consumerRef ?? user];
  return {
    ...(workspaceRef === undefined ? {} : { workspaceRef }),
    ...(consumerRef === undefined ? {} : { consumerRef }),
  };
}

function refuseOtherChoice(wanted: string | undefined, chosen: string | undefined): void {
  if (wanted === undefined || chosen === undefined || isSameWorkspace(wanted, chosen)) return;
  throw refused(`is for the workspace ${wanted}, and ${chosen} was chosen; begin again and choose ${wanted}`);
}

/** A state that is not of our form is not looked for. */
async function takeState({ store }: ManagementContext, state: string | undefined): Promise<OAuthState | undefined> {
  const projectId = state === undefined ? undefined : projectOfSecret(state);
  if (state === undefined || projectId === undefined) return undefined;
  return await store.oauthStates.take({ projectId, stateHash: hashOf(state) });
}

function wordsOf({ error = '', errorDescription }: Return): string {
  const words = errorDescription === undefined ? error : `${errorDescription} (${error})`;
  return words.replace(/\p{Cc}+/gu, ' ').slice(0, wordsMax);
}

function refused(detail: string) {
  return contradiction({ code: 'connection.scheme-mismatch', name: 'The connection', detail });
}

function failed(error: string) {
  return { ok: false, error } as const;
}

/**
 * Where the parameters of a customer's return say that the account is; empty where they say nothing.
 * @throws ValidationError for a parameter that names no place of the provider, or another one than its neighbour
 */
function returnedMetadata(
  { connectors }: Pick<ManagementContext, 'connectors'>,
  provider: string,
  parameters: Readonly<Record<string, string>>,
): NonNullable<OAuthState['providerMetadata']> {
  const place = connectors.get(provider).returnedPlace?.(parameters);
  if (place === undefined) return {};
  if (place.ok) return toldMetadata(place.metadata, 'provider');
  const { parameter, rule, value } = place;
  throw contradiction({
    code: 'connection.scheme-mismatch',
    name: `The parameter ${parameter} of the return from ${provider}`,
    detail: `must be ${rule}, not '${value}'; begin again, with an account at one of its places`,
    value,
  });
}
