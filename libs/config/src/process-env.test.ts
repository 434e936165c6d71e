import { readProcessEnv } from './process-env';

it('gives a copy', () => {
  const env = readProcessEnv();
  env['SLUICE_TEST_COPY'] = '1';
  expect(readProcessEnv()['SLUICE_TEST_COPY']).toBeUndefined();
  expect(readProcessEnv()['PATH']).toBe(env['PATH']);
});
