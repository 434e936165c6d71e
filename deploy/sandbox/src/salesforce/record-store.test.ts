import { objectNamed } from './object-definitions';
import { RecordIds } from './record-ids';
import { RecordStore } from './record-store';

const contact = objectNamed('Contact');
const at = new Date('2026-03-01T10:00:00Z');
const person = { LastName: 'Luna', Email: 'a@example.com', External_Id__c: 'k' };

let store: RecordStore;
beforeEach(() => {
  store = new RecordStore(new RecordIds());
});

it('keeps what is set, counts what it wrote', () => {
  const created = store.create(contact, { LastName: 'Luna', Title: null }, at);
  expect(created.fields).toEqual({ LastName: 'Luna' });
  const updated = store.update(created, { LastName: 'Sol', Phone: '1' }, at);
  expect(store.update(updated, { Phone: null }, at).fields).toEqual({ LastName: 'Sol' });
  expect(store.takeChanges().map(({ id }) => id)).toEqual([created.id, created.id, created.id]);
  expect(store.takeChanges()).toEqual([]);
});

describe('a call that is undone', () => {
  it('puts everything back, also where values changed hands', () => {
    const kept = store.create(contact, person, at);
    const gone = store.create(contact, { LastName: 'Gone', External_Id__c: 'g' }, at);
    store.takeChanges();
    const result = store.tryAll(() => {
      const changed = store.update(kept, { LastName: 'Changed', External_Id__c: 'other', Email: null }, at);
      store.remove(gone, at);
      store.create(contact, { LastName: 'New', External_Id__c: 'g' }, at);
      store.update(changed, { External_Id__c: null }, at);
      store.create(contact, { ...person, LastName: 'New too' }, at);
      return { keep: false, result: 'done' };
    });
    expect(result).toBe('done');
    expect(store.all('Contact')).toEqual([kept, gone]);
    expect(store.findByUnique('Contact', 'External_Id__c', 'K')).toBe(kept);
    expect(store.findByUnique('Contact', 'External_Id__c', 'g')).toBe(gone);
    expect(store.findByUnique('Contact', 'External_Id__c', 'other')).toBeUndefined();
    expect(store.findAlike('Contact', { ...person, LastName: 'LUNA' })).toEqual([kept]);
    expect(store.takeChanges()).toEqual([]);
  });

  it('is undone by a failure too', () => {
    const kept = store.create(contact, person, at);
    const work = () => {
      store.remove(kept, at);
      throw new Error('stop');
    };
    expect(() => store.tryAll(work)).toThrow('stop');
    expect(store.find(kept.id)).toBe(kept);
    expect(store.takeChanges()).toEqual([kept]);
  });
});

it('keeps the work that wants to be kept, after what was there before', () => {
  const first = store.create(contact, person, at);
  const second = store.tryAll(() => ({ keep: true, result: store.create(contact, { LastName: 'B' }, at) }));
  expect(store.takeChanges()).toEqual([first, second]);
});

it('gives unique values and people free when a record is deleted', () => {
  store.remove(store.create(contact, person, at), at);
  expect(store.findByUnique('Contact', 'External_Id__c', 'k')).toBeUndefined();
  expect(store.findAlike('Contact', person)).toEqual([]);
});

it('goes on after what it restored, without counting it', () => {
  const other = new RecordStore(new RecordIds());
  const remembered = [other.create(contact, person, at), other.create(contact, { LastName: 'B' }, at)];
  for (const record of remembered) store.restore(record);
  expect(store.takeChanges()).toEqual([]);
  const next = store.create(contact, { LastName: 'C' }, at);
  expect(next.number).toBe(3);
  expect(remembered.map(({ id }) => id)).not.toContain(next.id);
  expect(store.findAlike('Contact', person)).toEqual([remembered[0]]);
});
