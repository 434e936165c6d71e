import type { ConfigContent } from './config-content';
import { configUpdateOf } from './config-update';
import { diffJson } from './json-diff';
import { applyUpdateMask } from './update-mask';

const stored: ConfigContent = {
  provider: 'hubspot',
  read: { objects: { contacts: { objectName: 'contacts', selectedFieldMappings: { position: 'jobtitle' } } } },
  write: { objects: { contacts: { objectName: 'contacts' }, deals: { objectName: 'deals', inheritMapping: true } } },
  proxy: { enabled: false },
};
const contacts = { objectName: 'contacts', selectedFieldSettings: { phone: { writeOnCreate: 'never' as const } } };
const strange = 'a.b.disabled';

it.each<readonly [string, ConfigContent, readonly string[]]>([
  ['nothing', stored, []],
  [
    'one object, by itself',
    { ...stored, write: { objects: { ...stored.write?.objects, contacts } } },
    ['config.content.write.objects.contacts'],
  ],
  [
    'an object that is gone, with all of its action',
    { ...stored, write: { objects: { contacts } } },
    ['config.content.write.objects', 'config.content.write.objects.contacts'],
  ],
  [
    'an object whose name ends like a switch',
    { ...stored, read: { objects: { ...stored.read?.objects, [strange]: { objectName: strange } } } },
    ['config.content.read.objects'],
  ],
  ['the switch of the proxy', { ...stored, proxy: { enabled: true } }, ['config.content.proxy.enabled']],
  [
    'an action that there was not',
    { ...stored, subscribe: { objects: { leads: { objectName: 'leads' } } } },
    ['config.content.subscribe.objects.leads'],
  ],
])('an update of %s leads to the content that was wanted', (_what, wanted, updateMask) => {
  const { content, issues, ...update } = configUpdateOf(stored, wanted);
  expect([update.updateMask, issues]).toEqual([updateMask, []]);
  const after = applyUpdateMask(stored, { updateMask: [...updateMask], installation: { config: { content } } });
  expect(diffJson(after, wanted)).toEqual([]);
});

it('sends nothing of an object that did not change', () => {
  const wanted = { ...stored, write: { objects: { ...stored.write?.objects, contacts } } };
  expect(configUpdateOf(stored, wanted).content).toEqual({ write: { objects: { contacts } } });
});

it.each([
  ['what is no object', [], 'installation.config.content'],
  ['another provider', { ...stored, provider: 'salesforce' }, 'installation.config.content.provider'],
  ['an unknown member', { ...stored, raed: {} }, 'installation.config.content.raed'],
  ['an action that is no object', { ...stored, read: 5 }, 'installation.config.content.read'],
  ['a member beside objects', { ...stored, read: { contacts: {} } }, 'installation.config.content.read.contacts'],
  ['a list of objects', { ...stored, write: { objects: [] } }, 'installation.config.content.write.objects'],
  ['a proxy without its switch', { ...stored, proxy: {} }, 'installation.config.content.proxy.enabled'],
])('refuses %s at its path', (_what, wanted, name) => {
  const { updateMask, issues } = configUpdateOf(stored, wanted);
  expect(updateMask).toEqual([]);
  expect(issues.map((issue) => issue.name)).toEqual([name]);
});
