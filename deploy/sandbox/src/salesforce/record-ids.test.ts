import { toLongId, idOf, RecordIds } from './record-ids';

it('gives the same growing ids on every run, none twice, with letters of both cases', () => {
  const [first, second] = [new RecordIds(), new RecordIds()];
  const given = Array.from({ length: 500 }, () => first.next('003'));
  expect(given).toEqual(Array.from({ length: 500 }, () => second.next('003')));
  expect(new Set(given).size).toBe(500);
  for (const id of given) {
    expect(id).toMatch(/^003ak0(?=.*[A-Z])(?=.*[a-z])[0-9A-Za-z]{9}[A-Z0-5]{3}$/);
    expect(toLongId(id)).toBe(id);
  }
});

it('goes on after the ids that a journal remembers', () => {
  const ids = new RecordIds();
  const remembered = idOf('001', 3_400_000_000);
  ids.skipPast(remembered);
  expect(ids.next('003').slice(6, 15) > remembered.slice(6, 15)).toBe(true);
});

it('does not go back for an older one', () => {
  const [ids, untouched] = [new RecordIds(), new RecordIds()];
  ids.skipPast(idOf('005', 7));
  expect(ids.next('003')).toBe(untouched.next('003'));
});
