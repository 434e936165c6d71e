import { checkUpdateConnectionRequest, maskedConnection } from './connection-credentials';

const apiKey = 'canary-key';

it('takes what the mask names, and ignores the rest', () => {
  const request = {
    updateMask: ['apiKey'],
    connection: { apiKey, basicAuth: { username: 'u', password: 'p' } },
  } as const;
  expect(checkUpdateConnectionRequest(request)).toEqual([]);
  expect(maskedConnection(request)).toEqual({ apiKey });
});

it('clears providerMetadata by naming it without a value', () => {
  expect(checkUpdateConnectionRequest({ updateMask: ['providerMetadata'], connection: {} })).toEqual([]);
});

it.each([
  ['a name without a value', ['apiKey'], {}, 'connection.apiKey'],
  [
    'two kinds of credentials',
    ['apiKey', 'basicAuth'],
    { apiKey, basicAuth: { username: 'u', password: 'p' } },
    'connection.basicAuth',
  ],
  [
    'a workspace that leads elsewhere',
    ['providerWorkspaceRef'],
    { providerWorkspaceRef: 'evil.com/' },
    'connection.providerWorkspaceRef',
  ],
] as const)('refuses %s', (_case, updateMask, connection, name) => {
  const issues = checkUpdateConnectionRequest({ updateMask: [...updateMask], connection });
  expect(issues.map((issue) => issue.name)).toEqual([name]);
  expect(JSON.stringify(issues)).not.toContain(apiKey);
});
