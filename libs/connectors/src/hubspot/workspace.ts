import type { ProviderCall } from '../requests';
import type { Workspace } from '../results';
import type { HubspotApi } from './call-hubspot';
import { toProviderError } from '../thrown-failure';

/**
 * `GET /account-info/…/details`: `portalId` is the account. The user's id stands only in a token reply.
 * Source: reference A1.
 * @throws ProviderError
 */
export async function workspace(api: HubspotApi, call: ProviderCall): Promise<Workspace> {
  const answer = await api.call({ operation: 'workspace', method: 'GET', path: api.urls.account }, call);
  if (!answer.ok) throw toProviderError(answer.failure, 'hubspot');
  const { portalId } = answer.body;
  if (typeof portalId === 'number' || typeof portalId === 'string') return { workspaceRef: String(portalId) };
  throw toProviderError(
    { class: 'unavailable', scope: 'call', message: 'HubSpot answered without a portalId' },
    'hubspot',
  );
}
