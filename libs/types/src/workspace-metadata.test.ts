import { checkNamedWorkspace, namedWorkspace, shownMetadata, withNamedWorkspace } from './workspace-metadata';

const given = (value: string) => ({ workspace: { value, source: 'input' as const } });
const region = { region: { value: 'eu', source: 'input' as const } };

describe('a workspace under its two names', () => {
  it.each([
    [{}, undefined],
    [{ providerMetadata: region }, undefined],
    [{ providerWorkspaceRef: 'acme' }, 'acme'],
    [{ providerMetadata: given('acme') }, 'acme'],
    [{ providerWorkspaceRef: '', providerMetadata: given('acme') }, 'acme'],
    [{ providerWorkspaceRef: 'acme', providerMetadata: given('Acme') }, 'acme'],
  ])('of %j is %j', (request, expected) => {
    expect(checkNamedWorkspace(request)).toEqual([]);
    expect(namedWorkspace(request)).toBe(expected);
  });

  // The value becomes part of a host name, whichever name it came under.
  it.each([
    [{ providerWorkspaceRef: 'evil.com/' }, 'connection.providerWorkspaceRef', /letters, digits and hyphens/],
    [{ providerMetadata: given('evil.com/') }, 'connection.providerMetadata.workspace.value', /letters/],
    [
      { providerWorkspaceRef: 'acme', providerMetadata: given('beta') },
      'connection.providerMetadata.workspace.value',
      /must name the same workspace as connection\.providerWorkspaceRef/,
    ],
  ])('refuses %j', (request, name, detail) => {
    expect(checkNamedWorkspace(request, 'connection.')).toMatchObject([
      { name, detail: expect.stringMatching(detail) },
    ]);
  });
});

describe('a request', () => {
  it('has its workspace under both names', () => {
    const both = { providerWorkspaceRef: 'acme', providerMetadata: { ...region, ...given('acme') } };
    expect(withNamedWorkspace({ providerWorkspaceRef: 'acme', providerMetadata: region })).toEqual(both);
    expect(withNamedWorkspace({ providerMetadata: { ...region, ...given('acme') } })).toEqual(both);
  });

  it('has neither name when its field was left empty', () => {
    expect(withNamedWorkspace({ providerWorkspaceRef: '', providerMetadata: given('') })).toEqual({
      providerMetadata: {},
    });
    expect(withNamedWorkspace<object>({ other: 1 })).toEqual({ other: 1 });
  });
});

describe('metadata as it is shown', () => {
  it("has the connection's workspace, with who gave it", () => {
    expect(shownMetadata(undefined, undefined)).toBeUndefined();
    expect(shownMetadata(region, undefined)).toEqual(region);
    expect(shownMetadata(undefined, 'acme')).toEqual({ workspace: { value: 'acme', source: 'provider' } });
    expect(shownMetadata(given('ACME'), 'acme')).toEqual(given('acme'));
  });
});
