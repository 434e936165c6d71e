import { readyWhen } from './create-app';

const up = () => Promise.resolve(true);
const down = () => Promise.resolve(false);

test('is ready when every dependency answers', async () => {
  expect(await readyWhen({ postgres: up })()).toEqual({ ready: true, checks: { postgres: 'ok' } });
});

test('names the dependency that does not answer', async () => {
  expect(await readyWhen({ postgres: down, redis: up })()).toEqual({
    ready: false,
    checks: { postgres: 'does not answer', redis: 'ok' },
  });
});
