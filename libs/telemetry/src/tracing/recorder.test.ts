import { toAttributes } from './recorder';

describe('toAttributes', () => {
  it('names what is known after the conventions, and leaves out what is absent', () => {
    const facts = { operationId: 'o1', status: 207, isBackfilled: false, provider: undefined };
    expect(toAttributes(facts)).toEqual({
      'sluice.operation.id': 'o1',
      'http.response.status_code': 207,
      'sluice.retold': false,
    });
  });

  it('[sec-43] has no field for anything else, whatever is passed by mistake', () => {
    const mistake = { operationId: 'o1', record: { email: 'canary@x.com' }, accessToken: 'canary', groupRef: 'canary' };
    expect(JSON.stringify(toAttributes(mistake))).not.toContain('canary');
  });
});
