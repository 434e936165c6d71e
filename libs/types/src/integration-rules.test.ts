import { type CreateIntegrationRequest, checkCreateIntegrationRequest } from './integration';
import { publishManifestIntegration } from './publish-contents';

const request = (content: CreateIntegrationRequest['latestRevision']['content']): CreateIntegrationRequest => ({
  name: 'crm',
  provider: 'hubspot',
  latestRevision: { specVersion: '1.0.0', content },
});

describe('checkCreateIntegrationRequest', () => {
  it('takes a body that says the same twice', () => {
    expect(checkCreateIntegrationRequest(request({ name: 'crm', provider: 'hubspot' }))).toEqual([]);
  });

  it('refuses another name or provider in the content', () => {
    expect(checkCreateIntegrationRequest(request({ name: 'other', provider: 'salesforce' }))).toMatchObject([
      { name: 'latestRevision.content.name', detail: 'must be crm, the name of the integration', value: 'other' },
      { name: 'latestRevision.content.provider', value: 'salesforce' },
    ]);
  });

  it('checks the manifest', () => {
    const write = { objects: [{ objectName: 'a' }, { objectName: 'a' }] };
    expect(checkCreateIntegrationRequest(request({ name: 'crm', provider: 'hubspot', write }))).toMatchObject([
      { name: 'latestRevision.content.write.objects[1].objectName' },
    ]);
  });
});

describe('publishManifestIntegration', () => {
  // Published clients refuse a reply without these two.
  it('fills in destination and schedule of read objects', () => {
    const integration = {
      name: 'crm',
      provider: 'hubspot',
      read: { objects: [{ objectName: 'a', schedule: '* * * * *' }] },
    };
    expect(publishManifestIntegration(integration).read?.objects).toEqual([
      { objectName: 'a', destination: '', schedule: '* * * * *' },
    ]);
    const without = { name: 'crm', provider: 'hubspot', read: {} };
    // A read without objects crashes published clients.
    expect(publishManifestIntegration(without)).toEqual({ ...without, read: { objects: [] } });
    const neither = { name: 'crm', provider: 'hubspot' };
    expect(publishManifestIntegration(neither)).toEqual(neither);
  });
});
