import { applyUpdateMask } from './update-mask';
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
  // Only what the mask names changes.
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
    expect(apply('config.content.read.objects')).toEqual({ ...stored, read: given.read });
  });

  it('makes what is not there yet, with a dot in its name', () => {
    expect(apply('config.content.subscribe.objects.a.b')).toEqual({ ...stored, subscribe: given.subscribe });
  });

  // The published browser client sends nothing else of the object.
  it('switches one read object off and on, and keeps the rest of it', () => {
    const selected = { objectName: 'contacts', selectedFields: { email: true } };
    const before: ConfigContent = { provider: 'hubspot', read: { objects: { contacts: selected } } };
    const switched = (name: string, disabled: boolean) =>
      applyUpdateMask(before, {
        updateMask: [`config.content.read.objects.${name}.disabled`],
        installation: { config: { content: { read: { objects: { [name]: { disabled } } } } } },
      }).read?.objects;
    expect(switched('contacts', true)).toEqual({ contacts: { ...selected, disabled: true } });
    expect(switched('contacts', false)).toEqual({ contacts: { ...selected, disabled: false } });
    expect(switched('toString', true)).toEqual({
      contacts: selected,
      toString: { objectName: 'toString', disabled: true },
    });
  });

  it('takes the name of a read object from its key', () => {
    const content: UpdateConfigContent = { read: { objects: { deals: { disabled: true } } } };
    const updateMask = ['config.content.read.objects.deals'];
    const { read } = applyUpdateMask(stored, { updateMask, installation: { config: { content } } });
    expect(read?.objects?.['deals']).toEqual({ objectName: 'deals', disabled: true });
    const whole = { updateMask: ['config.content.read.objects'], installation: { config: { content } } };
    expect(applyUpdateMask(stored, whole).read?.objects).toEqual({ deals: { objectName: 'deals', disabled: true } });
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
