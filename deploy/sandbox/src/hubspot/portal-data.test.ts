import { recordIds } from './hubspot';
import { objectTypeNamed } from './objects';
import { PortalData } from './portal-data';

const contacts = objectTypeNamed('contacts');
const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
const newData = () => new PortalData(recordIds());

it('gives growing twelve-digit ids, the same on every run', () => {
  const [first, second] = [recordIds(), recordIds()];
  const ids = Array.from({ length: 50 }, () => first.next('contacts'));
  expect(ids).toEqual(Array.from({ length: 50 }, () => second.next('contacts')));
  expect(ids).toEqual(ids.toSorted((a, b) => Number(a) - Number(b)));
  expect(new Set(ids).size).toBe(50);
  expect(ids.every((id) => /^\d{12}$/.test(id))).toBe(true);
});

it('frees a changed or cleared email', () => {
  const data = newData();
  const ana = data.create('contacts', { email: 'ana@example.com' }, at(0));
  const moved = data.update(ana, { email: 'anna@example.com' }, at(1));
  expect(data.conflicts('contacts', { email: 'ana@example.com' })).toEqual([]);
  data.update(moved, { email: '' }, at(2));
  expect(data.conflicts('contacts', { email: 'anna@example.com' })).toEqual([]);
});

it('hides an archived record and frees its email', () => {
  const data = newData();
  const ana = data.create('contacts', { email: 'ana@example.com' }, at(0));
  data.remove(ana, at(5));
  expect(data.findOf(contacts, ana.id)).toBeUndefined();
  expect(data.findByUnique('contacts', 'email', 'ana@example.com')).toBeUndefined();
  expect(data.all('contacts')).toEqual([]);
  expect(data.find(ana.id)).toMatchObject({ isDeleted: true, updatedAt: at(5).toISOString() });
  expect(data.searchable(contacts, at(6), 5000)).toEqual([ana]);
  expect(data.searchable(contacts, at(10), 5000)).toEqual([]);
});

it.each([
  ['in its own form', { type: 'contacts', number: 4, fields: { email: 'a@example.com' }, isDeleted: false }],
  ['in the form of older journals', { properties: { email: 'a@example.com' } }],
])('continues after the ids of a record that was restored %s', (_name, form) => {
  const data = newData();
  const moments = { createdAt: at(0).toISOString(), updatedAt: at(0).toISOString() };
  data.restore({ recordId: '171590500000', object: 'contacts', record: { id: '171590500000', ...moments, ...form } });
  expect(data.takeChanges()).toEqual([]);
  expect(Number(data.create('contacts', {}, at(1)).id)).toBeGreaterThan(171_590_500_000);
  expect(data.findByUnique('contacts', 'email', 'a@example.com')?.id).toBe('171590500000');
});

it('restores an archived record of an older journal as archived', () => {
  const data = newData();
  const moments = { createdAt: at(0).toISOString(), updatedAt: at(1).toISOString(), archivedAt: at(1).toISOString() };
  data.restore({ object: 'contacts', record: { id: '171590500000', ...moments, properties: {} } });
  expect(data.findLive('171590500000')).toBeUndefined();
  expect(data.find('171590500000')?.isDeleted).toBe(true);
});
