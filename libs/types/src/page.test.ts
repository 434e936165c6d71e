import { idOfPageToken, pageTokenOf } from './page';

const id = '01a1fb19-d20c-7689-a391-719613643c01';

it('a token gives back its id', () => {
  expect(idOfPageToken(pageTokenOf(id))).toBe(id);
});

it.each(['', 'x', 'AA', `${pageTokenOf(id)}A`, `${pageTokenOf(id)}=`, `*${pageTokenOf(id)}`, pageTokenOf(id).slice(1)])(
  'no token: %j',
  (token) => expect(idOfPageToken(token)).toBeUndefined(),
);
