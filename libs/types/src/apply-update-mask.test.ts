import { applyUpdateMask } from './apply-update-mask';
import type { ConfigContent, UpdateConfigContent } from './config-content';

const stored: ConfigContent = {
  provider: 'hubspot',
  read: { objects: { contacts: { objectName: 'contacts' } } },
  write: { objects: { contacts: { objectName: 'contacts' }, deals: { objectName: 'deals' } } },
  proxy: { enabled: false },
};
const given: UpdateConfigContent = {
  provider: 'salesforce',
  read: { objects: { contacts: { objectName: 'contacts', disabled: true } } },
  write: { objects: { contacts: { objectName: 'contacts', inheritMapping: true } } },
  proxy: { enabled: true },
  subscribe: { objects: { 'a.b': { objectName: 'a.b' } } },
};
const apply = (...updateMask: string[]) =>
  applyUpdateMask(stored, { updateMask, installation: { connectionId: 'c', config: { content: given } } });

describe('applyUpdateMask', () => {
  // Reliability notes 4.3, row 31: only what the mask names changes.
  it('changes nothing without a path of the content', () => {
    expect(apply()).toEqual(stored);
    expect(apply('connectionId', 'config.createdBy')).toEqual(stored);
  });

  it('changes the named object only', () => {
    expect(apply('config.content.write.objects.contacts')).toEqual({
      ...stored,
      write: {
        objects: { contacts: { objectName: 'contacts', inheritMapping: true }, deals: { objectName: 'deals' } },
      },
    });
  });

  it('replaces the whole map, and so removes what it leaves out', () => {
    expect(apply('config.content.write.objects')).toEqual({ ...stored, write: given.write });
  });

  it('makes what is not there yet, with a dot in its name', () => {
    expect(apply('config.content.subscribe.objects.a.b')).toEqual({ ...stored, subscribe: given.subscribe });
  });

  it('takes several paths, and leaves the stored content as it was', () => {
    const before = JSON.stringify(stored);
    expect(apply('config.content.proxy.enabled', 'config.content.read.objects.contacts')).toEqual({
      ...stored,
      proxy: { enabled: true },
      read: given.read,
    });
    expect(JSON.stringify(stored)).toBe(before);
  });
});
