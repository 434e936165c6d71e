import { readyWhen } from './create-app';

const up = () => Promise.resolve('ok');
const down = () => Promise.resolve('does not answer');

test('is ready when every dependency answers', async () => {
  expect(await readyWhen({ postgres: up })()).toEqual({ ready: true, checks: { postgres: 'ok' } });
});

test('says of each dependency what is wrong', async () => {
  expect(await readyWhen({ postgres: down, redis: up })()).toEqual({
    ready: false,
    checks: { postgres: 'does not answer', redis: 'ok' },
  });
});
