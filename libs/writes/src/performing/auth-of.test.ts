import type { LiveCredentials } from '@sluice/types';
import { authOf } from './auth-of';

const live = (o: Partial<LiveCredentials>): LiveCredentials => ({
  connectionId: 'k1',
  tokenVersion: 1,
  provider: 'hubspot',
  status: 'working',
  credentials: {},
  ...o,
});

describe('authOf', () => {
  it('opens with the access token, else with the API key', () => {
    expect(authOf(live({ credentials: { accessToken: 'token', apiKey: 'key' } }))).toEqual({ accessToken: 'token' });
    expect(authOf(live({ credentials: { apiKey: 'key' } }))).toEqual({ accessToken: 'key' });
  });

  it('names the workspace where it is known, and shows nothing else of the credentials', () => {
    const credentials = { accessToken: 'token', refreshToken: 'canary' };
    expect(authOf(live({ credentials, workspaceRef: '42' }))).toEqual({ accessToken: 'token', workspaceRef: '42' });
  });
});
