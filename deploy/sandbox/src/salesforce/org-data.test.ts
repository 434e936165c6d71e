import { OrgData } from './org-data';
import { recordIds } from './record-ids';

const org = { name: 'acme', orgId: '00Dak00000aVKnNEAW', userId: '005ak00000aVKnNAAW', workspaceRef: 'acme' };
const at = new Date('2026-03-01T10:00:00Z');
const person = { LastName: 'Luna', Email: 'a@example.com', External_Id__c: 'k' };

let store: OrgData;
beforeEach(() => {
  store = new OrgData(org, recordIds());
});

it('stores what is set, reports what it wrote', () => {
  const created = store.create('Contact', { LastName: 'Luna', Title: null }, at);
  expect(created.fields).toEqual({ LastName: 'Luna' });
  const updated = store.update(created, { LastName: 'Sol', Phone: '1' }, at);
  expect(store.update(updated, { Phone: null }, at).fields).toEqual({ LastName: 'Sol' });
  expect(store.takeChanges().map(({ recordId }) => recordId)).toEqual([created.id, created.id, created.id]);
  expect(store.takeChanges()).toEqual([]);
});

describe('a call that is undone', () => {
  it('restores everything, also where a value moved to another record', () => {
    const kept = store.create('Contact', person, at);
    const gone = store.create('Contact', { LastName: 'Gone', External_Id__c: 'g' }, at);
    store.takeChanges();
    const result = store.tryAll(() => {
      const changed = store.update(kept, { LastName: 'Changed', External_Id__c: 'other', Email: null }, at);
      store.remove(gone, at);
      store.create('Contact', { LastName: 'New', External_Id__c: 'g' }, at);
      store.update(changed, { External_Id__c: null }, at);
      store.create('Contact', { ...person, LastName: 'New too' }, at);
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
    const kept = store.create('Contact', person, at);
    const work = () => {
      store.remove(kept, at);
      throw new Error('stop');
    };
    expect(() => store.tryAll(work)).toThrow('stop');
    expect(store.find(kept.id)).toBe(kept);
    expect(store.takeChanges()).toMatchObject([{ record: kept }]);
  });
});

it('keeps work that succeeds, after earlier changes', () => {
  const first = store.create('Contact', person, at);
  const second = store.tryAll(() => ({ keep: true, result: store.create('Contact', { LastName: 'B' }, at) }));
  expect(store.takeChanges()).toMatchObject([{ record: first }, { record: second }]);
});

it('frees unique values and people when a record is deleted', () => {
  store.remove(store.create('Contact', person, at), at);
  expect(store.findByUnique('Contact', 'External_Id__c', 'k')).toBeUndefined();
  expect(store.findAlike('Contact', person)).toEqual([]);
});

it('continues after what it restored, without counting it', () => {
  const other = new OrgData(org, recordIds());
  const remembered = [other.create('Contact', person, at), other.create('Contact', { LastName: 'B' }, at)];
  for (const record of remembered) store.restore({ recordId: record.id, record });
  expect(store.takeChanges()).toEqual([]);
  const next = store.create('Contact', { LastName: 'C' }, at);
  expect(next.number).toBe(3);
  expect(remembered.map(({ id }) => id)).not.toContain(next.id);
  expect(store.findAlike('Contact', person)).toEqual([remembered[0]]);
});
