import type { CrmRecord } from './crm-record';
import { contacts } from './objects/contacts';
import { RecordIds, RecordsStore } from './records-store';

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

it('gives a changed or cleared email free', () => {
  const store = newStore();
  const ana = store.create({ email: 'ana@example.com' }, at(0));
  const moved = store.update(ana, { email: 'anna@example.com' }, at(1));
  expect(store.conflict({ email: 'ana@example.com' })).toBeUndefined();
  store.update(moved, { email: '' }, at(2));
  expect(store.conflict({ email: 'anna@example.com' })).toBeUndefined();
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
