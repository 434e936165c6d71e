import { sentAtMark } from './generate-load';
import { asynchronous, autoBatched, writeBody } from './write-body';

// The goals speak of 1 KB, and a baseline's body must not be smaller than ours.
it.each([[{}], [asynchronous], [autoBatched]])('%j: a body is 1,024 ASCII characters long', (members) => {
  const body = writeBody(members);
  expect(body).toHaveLength(1_024);
  expect(Buffer.byteLength(body)).toBe(1_024);
  expect(JSON.parse(body)).toMatchObject({ ...members, type: 'create', groupRef: 'g-%%%%%%' });
});

it('carries the moment of sending where that is measured', () => {
  expect(writeBody(asynchronous)).not.toContain(sentAtMark);
  expect(writeBody(asynchronous, { isTimed: true })).toContain(`"sentat":"${sentAtMark}"`);
});
