import type { ConfigContent } from './config-content';
import { publishConfigContent } from './publish-contents';

const provider = 'hubspot';
const selective = { objectName: 'selective', selectedFields: { b: true }, selectedFieldMappings: { c: 'd' } };

describe('publishConfigContent', () => {
  it.each<[string, ConfigContent, object]>([
    ['read without objects', { provider, read: {} }, { provider, read: { objects: {} } }],
    ['subscribe without objects', { provider, subscribe: {} }, { provider, subscribe: { objects: {} } }],
    ['write without objects, which is fine', { provider, write: {} }, { provider, write: {} }],
    [
      'a read object without its selections, and one with them',
      { provider, read: { objects: { a: { objectName: 'a', disabled: true }, selective } } },
      {
        provider,
        read: {
          objects: { a: { objectName: 'a', disabled: true, selectedFields: {}, selectedFieldMappings: {} }, selective },
        },
      },
    ],
  ])('%s', (_case, content, published) => {
    const before = structuredClone(content);
    expect(publishConfigContent(content)).toEqual(published);
    expect(content).toEqual(before);
  });
});
