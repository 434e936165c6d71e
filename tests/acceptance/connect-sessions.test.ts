import type { ConnectSession, Connection, Installation } from '@sluice/types';
import { createAccount, type Account } from '../harness/account';
import { call } from '../harness/api';
import { openConnectPage } from '../harness/connect-page';
import { createProject, type Project } from '../harness/project';
import { sharedStack } from '../harness/shared-stack';
import { crms, person } from './crms';

const stack = sharedStack();

describe.each(crms)('%s: a customer connects on our page', (provider, crm) => {
  const prepare = async (): Promise<{ project: Project; account: Account; integration: string }> => {
    const project = await createProject(stack);
    const account = await createAccount(stack, provider);
    const { clientId, clientSecret } = account;
    const app = { provider, clientId, clientSecret, scopes: ['api', 'refresh_token'] };
    await call(`${project.url}/provider-apps`, { key: project.key, body: app });
    const requiredFields = [{ mapToName: 'surname' }];
    const content = {
      name: 'crm',
      provider,
      read: { objects: [{ objectName: crm.object, requiredFields }] },
      write: { objects: [{ objectName: crm.object, inheritMapping: true }] },
    };
    const latestRevision = { specVersion: '1.0.0', content };
    const body = { name: 'crm', provider, latestRevision };
    await call(`${project.url}/integrations`, { key: project.key, body });
    return { project, account, integration: 'crm' };
  };

  it('[sec-52] by its own page and a choice of fields, is installed, and writes by the mapping', async () => {
    const { project, account, integration } = await prepare();
    const returnUrl = 'http://localhost:3000/settings';
    const order = { groupRef: 'g', consumerRef: 'ann', integration, returnUrl };
    const session = await call<ConnectSession>(`${project.url}/connect-sessions`, { key: project.key, body: order });
    expect(session.url).toBe(`${new URL(stack.baseUrl).origin}/connect#${session.token}`);
    const browser = await openConnectPage(stack, session);
    const back = await browser.connect(account);
    expect([back.status, back.headers.get('location')]).toEqual([303, session.url]);
    expect(await browser.view()).toMatchObject({ state: 'connected', session: { returnUrl } });
    const mapped = { selectedFieldMappings: { surname: crm.last } };
    const objects = { [crm.object]: mapped };
    expect(await browser.submit('choices', { content: { read: { objects } } })).toMatchObject({ state: 'done' });
    const list = `${project.url}/installations`;
    const [installation, ...more] = await call<Installation[]>(list, { method: 'GET', key: project.key });
    expect(more).toEqual([]);
    expect(installation).toMatchObject({ createdBy: 'consumer:ann', config: { content: { read: { objects } } } });
    const { [crm.last]: surname, ...others } = person(crm, 'Mapped');
    const write = { groupRef: 'g', type: 'create', record: { ...others, surname } };
    const objectUrl = `${stack.writeUrl}/projects/${project.id}/integrations/${integration}/objects/${crm.object}`;
    await call(objectUrl, { key: project.key, body: write });
    expect(await account.records(crm.object)).toHaveLength(1);
    expect(await call<Connection[]>(`${project.url}/connections`, { method: 'GET', key: project.key })).toHaveLength(1);
  });
});
