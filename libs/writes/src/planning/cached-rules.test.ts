import type { InstallationContext } from '@sluice/types';
import { contactsInstallation, exactFields } from '../../test/builders';
import { planWrite } from './plan-write';

const record = { stage: 'lead', note: 'x' };
const fieldsOf = (context: InstallationContext, type: 'create' | 'update') =>
  planWrite(context, exactFields, { type, objectName: 'contacts', record: { ...record, id: '7' }, path: 'record' }).plan
    .fields;

// Rules are kept with the config they were read from: another one, or another manifest, must never see them.
describe('rules that are kept', () => {
  const context = contactsInstallation({ write: { selectedFieldSettings: { stage: { writeOnUpdate: 'never' } } } });

  it('are those of the type', () => {
    expect(fieldsOf(context, 'create')).toMatchObject({ stage: 'lead' });
    expect(fieldsOf(context, 'update')).toEqual({ note: 'x' });
    expect(fieldsOf(context, 'create')).toMatchObject({ stage: 'lead' });
  });

  it('end with the config', () => {
    expect(fieldsOf(context, 'update')).toEqual({ note: 'x' });
    const changed = contactsInstallation({ write: { selectedFieldSettings: { note: { writeOnUpdate: 'never' } } } });
    expect(fieldsOf({ ...context, config: changed.config }, 'update')).toEqual({ stage: 'lead' });
  });

  it('are read again for another manifest and another switch of the project', () => {
    const mapped = contactsInstallation({ inherits: true, dropUnmappedFields: true });
    const plain = { ...mapped, dropUnmappedFields: false };
    expect(fieldsOf(plain, 'update')).toMatchObject({ note: 'x' });
    expect(() => fieldsOf(mapped, 'create')).toThrow(/no field is left/);
    expect(fieldsOf({ ...mapped, manifest: contactsInstallation().manifest }, 'update')).toMatchObject({ note: 'x' });
  });
});
