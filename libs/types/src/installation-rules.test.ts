import type { UpdateConfigContent } from './config-content';
import {
  checkCreateInstallationRequest,
  checkPatchConfigContentRequest,
  checkUpdateInstallationRequest,
} from './installation-rules';

describe('checkCreateInstallationRequest', () => {
  it('checks the content at its path', () => {
    const content = { provider: 'hubspot', write: { objects: { a: { objectName: 'b' } } } };
    expect(checkCreateInstallationRequest({ groupRef: 'g', config: { content } })).toMatchObject([
      { name: 'config.content.write.objects.a.objectName' },
    ]);
  });
});

describe('checkUpdateInstallationRequest', () => {
  const content: UpdateConfigContent = {
    read: { objects: { contacts: { objectName: 'contacts' } } },
    write: { objects: { contacts: { objectName: 'contacts' } } },
    proxy: { enabled: false },
    subscribe: { objects: {} },
  };
  const check = (...updateMask: string[]) =>
    checkUpdateInstallationRequest(
      { updateMask, installation: { connectionId: 'c', config: { content, createdBy: 'builder:b' } } },
      (_name, known) => known.find((one) => one.includes('read.objects')),
    );

  it('takes every allowed path that has a value, and an empty mask', () => {
    expect(check()).toEqual([]);
    expect(
      check(
        'connectionId',
        'config.createdBy',
        'config.content.proxy.enabled',
        'config.content.read.objects.contacts',
        'config.content.write.objects.contacts',
        'config.content.write.objects',
        'config.content.subscribe.objects',
      ),
    ).toEqual([]);
  });

  it.each<[object | undefined, boolean]>([
    [{ read: { objects: { contacts: { objectName: 'contacts', disabled: false } } } }, true],
    [{ read: { objects: { contacts: { objectName: 'contacts' } } } }, false],
    [{ read: { objects: { deals: { objectName: 'deals', disabled: true } } } }, false],
    [{ read: {} }, false],
    [{}, false],
    [undefined, false],
  ])('a path to disabled, with %j: has a value %j', (given, hasValue) => {
    const updateMask = ['config.content.read.objects.contacts.disabled'];
    const config = given && { content: given as UpdateConfigContent };
    const issues = checkUpdateInstallationRequest(
      { updateMask, installation: { ...(config && { config }) } },
      () => undefined,
    );
    expect(issues.map(({ detail }) => detail)).toEqual(hasValue ? [] : ['has no value in installation']);
  });

  it.each([undefined, {}, { content: {} }, { content: { write: {} } }])(
    'no path has a value in config %j',
    (config) => {
      const updateMask = [
        'config.content.proxy.enabled',
        'config.content.write.objects',
        'config.content.write.objects.a',
      ];
      const installation = { ...(config && { config }) };
      expect(checkUpdateInstallationRequest({ updateMask, installation }, () => undefined)).toHaveLength(3);
    },
  );

  it('refuses an unknown path', () => {
    expect(check('connectionId', 'config.content.everything')).toMatchObject([
      { name: 'updateMask[1]', value: 'config.content.everything' },
    ]);
  });

  it('names the path that an unknown one means', () => {
    const detail = (path: string) => check(path)[0]?.detail;
    // Its end, before any spelling.
    expect(detail('write.objects.contacts')).toMatch(/did you mean config\.content\.write\.objects\.contacts\?$/);
    expect(detail('createdBy')).toMatch(/did you mean config\.createdBy\?$/);
    expect(detail('config.content.raed.objects.contacts')).toMatch(/mean config\.content\.read\.objects\.contacts\?$/);
    const [issue] = checkUpdateInstallationRequest({ updateMask: ['x'], installation: {} }, () => undefined);
    expect(issue?.detail).toMatch(
      /those are connectionId, .*subscribe\.objects, config\.content\.read\.objects\.<object>/,
    );
  });

  it('names the object that a path goes into, which is changed as a whole', () => {
    expect(check('config.content.write.objects.contacts.selectedFieldSettings')).toMatchObject([
      { detail: expect.stringMatching(/deeper than the object.*name config\.content\.write\.objects\.contacts,/) },
    ]);
  });

  it('refuses a path without a value', () => {
    expect(check('config.content.write.objects.deals')).toEqual([
      {
        in: 'body',
        name: 'updateMask[0]',
        detail: 'has no value in installation',
        value: 'config.content.write.objects.deals',
      },
    ]);
    const all = ['connectionId', 'config.createdBy', 'config.content.proxy.enabled', 'config.content.write.objects'];
    expect(checkUpdateInstallationRequest({ updateMask: all, installation: {} }, () => undefined)).toHaveLength(4);
    // Inherited members are no values.
    expect(check('config.content.write.objects.toString')).toHaveLength(1);
  });

  it('lists and searches no further than a reply shows', () => {
    const objects = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`o${at}`, { objectName: `o${at}` }]));
    const compared: number[] = [];
    const issues = checkUpdateInstallationRequest(
      { updateMask: Array(100).fill('x'), installation: { config: { content: { write: { objects } } } } },
      (_name, known) => void compared.push(known.length),
    );
    expect(issues).toHaveLength(20);
    expect(compared).toHaveLength(20);
    expect(Math.max(...compared)).toBeLessThan(60);
  });

  it('checks the content', () => {
    const bad = { write: { objects: { a: { objectName: 'b' } } } };
    expect(
      checkUpdateInstallationRequest({ updateMask: [], installation: { config: { content: bad } } }, () => undefined),
    ).toMatchObject([{ name: 'installation.config.content.write.objects.a.objectName' }]);
  });
});

describe('checkPatchConfigContentRequest', () => {
  const change = { op: 'add' as const, path: '/deletionSettings', value: { enabled: true } };
  const check = (...changes: object[]) =>
    checkPatchConfigContentRequest({ groupRef: 'g', action: 'write', changes: changes as (typeof change)[] });

  it('takes the form of the specification', () => {
    expect(check(change, { op: 'replace', path: '/selectedFieldSettings/a~1b~0c', value: null })).toEqual([]);
    expect(check({ op: 'remove', path: '/deletionSettings' })).toEqual([]);
  });

  it('needs groupRef or installationId', () => {
    expect(checkPatchConfigContentRequest({ action: 'write', changes: [change] })).toMatchObject([
      { name: 'groupRef' },
    ]);
    expect(checkPatchConfigContentRequest({ installationId: 'i', action: 'write', changes: [change] })).toEqual([]);
  });

  it('refuses what is no path', () => {
    expect(check({ ...change, path: '' })).toMatchObject([{ name: 'changes[0].path' }]);
  });

  it('needs a value for add and replace', () => {
    expect(check({ op: 'add', path: '/a' }, { op: 'replace', path: '/a' })).toMatchObject([
      { name: 'changes[0].value', detail: 'is required for add' },
      { name: 'changes[1].value', detail: 'is required for replace' },
    ]);
  });

  // A pattern with two ways to read a slash would take minutes for this one.
  it('answers at once for a long path', () => {
    const started = process.cpuUsage();
    expect(check({ ...change, path: `${'/a'.repeat(50_000)}~` })).toHaveLength(1);
    // Of the processor, which a busy machine does not lengthen.
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(20_000);
  });
});
