import type { ObservedExchange } from '../requests';
import type { ProviderStub } from '../../test/provider-stub';
import { auth, contacts, idA } from '../../test/salesforce-replies';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector } from '../connector';

let stub: ProviderStub;
let salesforce: Required<Connector>;
const { metrics, openDirect } = useStubbedConnectors((opened) => ({ stub, salesforce } = opened));

describe('workspace', () => {
  const info = (urls: object, rest: object = {}) => ({
    status: 200,
    body: { user_id: '005ak000000000UAAA', organization_id: '00Dak000000000OEAA', urls, ...rest },
  });
  const [accountId, consumerRef] = ['00Dak000000000O', '005ak000000000UAAA'];

  test.each<[string, object, string]>([
    ['custom_domain', { custom_domain: 'https://Acme.my.salesforce.com' }, 'acme'],
    ['rest', { rest: 'https://acme--uat.sandbox.my.salesforce.com/services/data/v{version}/' }, 'acme--uat.sandbox'],
    ['the one given, when no My Domain is reported', { rest: 'https://na1.salesforce.com/' }, 'acme'],
  ])('by %s', async (_, urls, workspaceRef) => {
    stub.replyWith(info(urls));
    expect(await salesforce.workspace({ auth })).toEqual({ workspaceRef, accountId, consumerRef });
    expect(stub.requests[0]).toMatchObject({ method: 'GET', path: '/services/oauth2/userinfo' });
  });

  test('without a given one the login is asked, and it must name the My Domain', async () => {
    const direct = openDirect();
    const ask = () => direct.get('salesforce').workspace({ auth: { accessToken: auth.accessToken } });
    stub.replyWith(info({ rest: 'https://acme.my.salesforce.com/' }), info({}));
    expect(await ask()).toEqual({ workspaceRef: 'acme', accountId, consumerRef });
    await expect(ask()).rejects.toMatchObject({
      class: 'rejected',
      detail: expect.stringContaining('set providerWorkspaceRef'),
    });
  });
});

describe('what a call leaves behind', () => {
  test('the exchange without a quota: the daily total is none; its use is measured', async () => {
    const exchanges: ObservedExchange[] = [];
    stub.replyWith({
      status: 204,
      headers: { 'sforce-limit-info': 'api-usage=90/100', 'x-request-id': 'req-2' },
    });
    await salesforce.delete({ ...contacts, recordId: idA, observe: (exchange) => exchanges.push(exchange) });
    expect(exchanges).toEqual([{ status: 204, providerRequestId: 'req-2', durationMs: expect.any(Number) }]);
    const { body } = await metrics.expose();
    expect(body).toMatch(/sluice_provider_daily_usage_ratio_bucket\{[^}]*le="0.9"[^}]*\} 1/);
    expect(body).toMatch(/sluice_provider_calls_total\{provider="salesforce",operation="delete",result="ok"[^}]*\}/);
  });
});
