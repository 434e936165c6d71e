import type { ProviderError } from '@sluice/errors';
import type { Connector, ConnectorRegistry } from '../src/connector';
import type { Fields } from '../src/requests';
import type { RecordResult } from '../src/results';
import type { ProviderStub, StubReply } from './provider-stub';
import { useStubbedConnectors } from './stubbed-connectors';

// One scripted reply to one call of a provider that is a file, for what others reported.

export const auth = { accessToken: 'token-12345', workspaceRef: 'acme' };
const refresh = {
  refreshToken: 'refresh-0001',
  clientId: 'app-1',
  clientSecret: 'client-secret-0001',
  workspaceRef: 'acme',
};
const objects: Readonly<Record<string, string>> = {
  zendeskSupport: 'tickets',
  pipedrive: 'persons',
  zoho: 'Leads',
  klaviyo: 'profiles',
  close: 'lead',
  freshdesk: 'contacts',
};

export let stub: ProviderStub;
let connectors: ConnectorRegistry;
/** Opens them for a test file. */
export const useReportedCalls = () => void useStubbedConnectors((opened) => ({ stub, connectors } = opened));

export const get = (provider: string) => connectors.get(provider) as Required<Connector>;
/** The request arrived; its reply is lost. */
export const cut: StubReply = (response) => void response.destroy();
export const failureOf = (result: RecordResult) => (result.ok ? undefined : result.error);
export const on = (provider: string) => ({
  auth: provider === 'freshdesk' ? { ...auth, kind: 'apiKey' as const } : auth,
  objectName: objects[provider] ?? '',
});
export const create = async (provider: string, reply: StubReply, fields: Fields = { name: 'A' }) => {
  stub.replyWith(reply);
  return get(provider).create({ ...on(provider), fields });
};
export const update = async (provider: string, reply: StubReply, fields: Fields = { name: 'A' }) => {
  stub.replyWith(reply);
  return get(provider).update({ ...on(provider), recordId: '7', fields });
};
export const refreshed = async (provider: string, reply: StubReply) => {
  stub.replyWith(reply);
  return (await get(provider)
    .refresh(refresh)
    .catch((thrown: unknown) => thrown)) as ProviderError;
};
