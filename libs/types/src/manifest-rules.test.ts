import { type Manifest, type ManifestIntegration, checkManifest, checkManifestIntegration } from './manifest';

const minimal: ManifestIntegration = {
  name: 'crm',
  provider: 'hubspot',
  read: { objects: [{ objectName: 'contacts', enabled: 'always' }] },
  write: { objects: [{ objectName: 'contacts', inheritMapping: true }] },
};
const namesOf = (integration: ManifestIntegration) =>
  checkManifestIntegration(integration, 'content').map(({ name }) => name);
const withRead = (...objects: NonNullable<NonNullable<ManifestIntegration['read']>['objects']>) => ({
  ...minimal,
  read: { objects },
});

describe('checkManifestIntegration', () => {
  it('takes the minimal form of the specification', () => {
    expect(checkManifestIntegration(minimal)).toEqual([]);
    expect(checkManifestIntegration({ name: 'crm', provider: 'hubspot' })).toEqual([]);
  });

  it('refuses an object that is declared twice', () => {
    expect(namesOf(withRead({ objectName: 'a' }, { objectName: 'b' }, { objectName: 'a' }))).toEqual([
      'content.read.objects[2].objectName',
    ]);
    expect(namesOf({ ...minimal, write: { objects: [{ objectName: 'a' }, { objectName: 'a' }] } })).toEqual([
      'content.write.objects[1].objectName',
    ]);
  });

  it('needs a name for each field', () => {
    expect(namesOf(withRead({ objectName: 'a', optionalFields: [{ fieldName: 'x' }, { prompt: 'Which?' }] }))).toEqual([
      'content.read.objects[0].optionalFields[1]',
    ]);
    expect(namesOf(withRead({ objectName: 'a', requiredFields: [{ mapToName: 'x', prompt: 'Which?' }] }))).toEqual([]);
  });

  it('refuses one mapped name for two fields', () => {
    const fields = { requiredFields: [{ fieldName: 'x', mapToName: 'm' }], optionalFields: [{ mapToName: 'm' }] };
    expect(namesOf(withRead({ objectName: 'a', ...fields }))).toEqual(['content.read.objects[0]']);
  });

  it('takes JSONPath in brackets only', () => {
    const fields = { requiredFields: [{ fieldName: "$['a']['b']" }, { fieldName: '$.a.b', mapToName: '$.c' }] };
    expect(namesOf(withRead({ objectName: 'a', ...fields }))).toEqual([
      'content.read.objects[0].requiredFields[1].fieldName',
      'content.read.objects[0].requiredFields[1].mapToName',
    ]);
  });

  it('refuses an object that is subscribed twice, and a schedule of a watch that is none', () => {
    const objects = ['a', 'a'].map((objectName) => ({ objectName, destination: 'hook' }));
    const watchSchema = { destination: 'hook', schedule: 'daily', allObjects: {} };
    expect(namesOf({ ...minimal, subscribe: { objects }, watchSchema })).toEqual([
      'content.subscribe.objects[1].objectName',
      'content.watchSchema.schedule',
    ]);
  });

  it('checks the schedule, which may be empty', () => {
    expect(namesOf(withRead({ objectName: 'a', schedule: 'daily' }))).toEqual(['content.read.objects[0].schedule']);
    expect(namesOf(withRead({ objectName: 'a', schedule: '' }))).toEqual([]);
  });
});

describe('checkManifest', () => {
  it('refuses two integrations of one name, and checks each', () => {
    const bad = withRead({ objectName: 'a', schedule: 'x' });
    const manifest: Manifest = { specVersion: '1.0.0', integrations: [minimal, bad] };
    expect(checkManifest(manifest).map(({ name }) => name)).toEqual([
      'integrations[1].name',
      'integrations[1].read.objects[0].schedule',
    ]);
  });
});
