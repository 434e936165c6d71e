import { givenUrls } from './stack';

describe('givenUrls', () => {
  it('takes what is set, and nothing from an empty variable', () => {
    const env = { DATABASE_URL: ' postgres://db/x ', REDIS_URL: '', KAFKA_BROKERS: 'a:1,b:2' };
    expect(givenUrls(env)).toEqual({ postgres: 'postgres://db/x', kafka: 'a:1,b:2' });
  });
});
