import type { ConfigContent } from './config-content';
import { publishConfigContent } from './publish-config';

const provider = 'hubspot';

describe('publishConfigContent', () => {
  it.each<[string, ConfigContent, object]>([
    ['nothing', { provider }, { provider }],
    ['read without objects', { provider, read: {} }, { provider, read: { objects: {} } }],
    ['subscribe without objects', { provider, subscribe: {} }, { provider, subscribe: { objects: {} } }],
    ['write without objects, which is fine', { provider, write: {} }, { provider, write: {} }],
    [
      'a read object without its selections',
      { provider, read: { objects: { a: { objectName: 'a', disabled: true } } } },
      {
        provider,
        read: { objects: { a: { objectName: 'a', disabled: true, selectedFields: {}, selectedFieldMappings: {} } } },
      },
    ],
    [
      'selections that are there',
      {
        provider,
        read: { objects: { a: { objectName: 'a', selectedFields: { b: true }, selectedFieldMappings: { c: 'd' } } } },
      },
      {
        provider,
        read: { objects: { a: { objectName: 'a', selectedFields: { b: true }, selectedFieldMappings: { c: 'd' } } } },
      },
    ],
  ])('%s', (_case, content, published) => {
    const before = structuredClone(content);
    expect(publishConfigContent(content)).toEqual(published);
    expect(content).toEqual(before);
  });
});
