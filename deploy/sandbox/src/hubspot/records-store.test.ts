import type { CrmRecord } from './crm-record';
import { contacts } from './objects/contacts';
import { RecordIds } from './record-ids';
import { RecordsStore } from './records-store';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
const newStore = (written: CrmRecord[] = []) =>
  new RecordsStore(contacts, new RecordIds(), (_type, record) => written.push(record));

it('gives growing twelve-digit ids, the same on every run', () => {
  const [first, second] = [new RecordIds(), new RecordIds()];
  const ids = Array.from({ length: 50 }, () => first.next());
  expect(ids).toEqual(Array.from({ length: 50 }, () => second.next()));
  expect(ids).toEqual(ids.toSorted((a, b) => Number(a) - Number(b)));
  expect(new Set(ids).size).toBe(50);
  expect(ids.every((id) => /^\d{12}$/.test(id))).toBe(true);
});

it('finds a contact by a unique value without regard to case', () => {
  const store = newStore();
  const ana = store.create({ email: 'ana@example.com' }, at(0));
  expect(store.findByUnique('email', ' ANA@example.com')).toBe(ana);
  expect(store.conflict({ email: 'Ana@Example.com' })?.existing).toBe(ana);
  expect(store.conflict({ email: 'Ana@Example.com' }, ana.id)).toBeUndefined();
});

it('gives a changed or cleared email free', () => {
  const store = newStore();
  const ana = store.create({ email: 'ana@example.com' }, at(0));
  const moved = store.update(ana, { email: 'anna@example.com' }, at(1));
  expect(store.conflict({ email: 'ana@example.com' })).toBeUndefined();
  store.update(moved, { email: '' }, at(2));
  expect(store.conflict({ email: 'anna@example.com' })).toBeUndefined();
});

it('keeps other properties on an update and forgets cleared ones', () => {
  const store = newStore();
  const before = store.create({ firstname: 'Ana', city: 'Oslo', phone: '' }, at(0));
  expect(before.properties).toEqual({ firstname: 'Ana', city: 'Oslo' });
  const after = store.update(before, { city: '', country: 'NO' }, at(1));
  expect(after).toMatchObject({ properties: { firstname: 'Ana', country: 'NO' }, createdAt: at(0), updatedAt: at(1) });
  expect(before.properties.city).toBe('Oslo');
});

it('tells each change once', () => {
  const written: CrmRecord[] = [];
  const store = newStore(written);
  const ana = store.create({ firstname: 'Ana' }, at(0));
  const updated = store.update(ana, { city: 'Oslo' }, at(1));
  expect(written).toEqual([ana, updated]);
});

it('hides an archived record and gives its email free', () => {
  const store = newStore();
  const ana = store.create({ email: 'ana@example.com' }, at(0));
  store.archive(ana, at(5));
  expect([store.find(ana.id), store.findByUnique('email', 'ana@example.com'), store.all()]).toEqual([
    undefined,
    undefined,
    [],
  ]);
  expect(store.findArchived(ana.id)?.archivedAt).toEqual(at(5));
  expect([...store.searchIndex.visible(at(6), 5000)]).toEqual([ana]);
  expect([...store.searchIndex.visible(at(10), 5000)]).toEqual([]);
});

it('continues after restored ids', () => {
  const written: CrmRecord[] = [];
  const store = newStore(written);
  store.restore({ id: '171590500000', properties: { email: 'a@example.com' }, createdAt: at(0), updatedAt: at(0) });
  expect(written).toEqual([]);
  expect(Number(store.create({}, at(1)).id)).toBeGreaterThan(171_590_500_000);
  expect(store.findByUnique('email', 'a@example.com')?.id).toBe('171590500000');
});

describe('search index', () => {
  it('shows a state only after the lag', () => {
    const store = newStore();
    const old = store.create({ city: 'Oslo' }, at(0));
    store.update(old, { city: 'Bergen' }, at(10));
    const cities = (now: number, lagMs: number) =>
      [...store.searchIndex.visible(at(now), lagMs)].map((one) => one.properties.city);
    expect(cities(4, 5000)).toEqual([]);
    expect(cities(5, 5000)).toEqual(['Oslo']);
    expect(cities(14, 5000)).toEqual(['Oslo']);
    expect(cities(14, 0)).toEqual(['Bergen']);
  });
});
