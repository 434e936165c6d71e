import { parseMaskPath } from './update-mask';

describe('parseMaskPath', () => {
  it.each([
    ['connectionId', { kind: 'connectionId' }],
    ['config.createdBy', { kind: 'createdBy' }],
    ['config.content.proxy.enabled', { kind: 'proxyEnabled' }],
    ['config.content.read.objects', { kind: 'objects', action: 'read' }],
    ['config.content.write.objects', { kind: 'objects', action: 'write' }],
    ['config.content.read.objects.contacts', { kind: 'object', action: 'read', objectName: 'contacts' }],
    ['config.content.read.objects.a.b.disabled', { kind: 'readDisabled', objectName: 'a.b' }],
    ['config.content.read.objects.disabled', { kind: 'object', action: 'read', objectName: 'disabled' }],
    ['config.content.write.objects.a.disabled', { kind: 'object', action: 'write', objectName: 'a.disabled' }],
    ['config.content.write.objects.a.b c', { kind: 'object', action: 'write', objectName: 'a.b c' }],
  ])('%s', (path, parsed) => {
    expect(parseMaskPath(path)).toEqual(parsed);
  });

  it.each([
    '',
    'config.content.write.objects.',
    'xconnectionId',
    'config.content.write.objects.__proto__',
    'config.content.write.objects.a.constructor.b',
    'config.content.write.objects.prototype',
    'config.content.read.objects.__proto__.disabled',
    'config.content.write.objects.a\0',
  ])('[sec-30] refuses %j', (path) => {
    expect(parseMaskPath(path)).toBeUndefined();
  });
});
