import type { Integration, ProviderInfo } from '@sluice/types';
import { CopyField } from '../../parts/field';
import type { GuideTerm } from '../../guide-terms';
import { GuideLink } from '../../parts/guide-link';

/** A provider at which customers allow an app in. */
export interface OAuthProvider {
  readonly provider: ProviderInfo;
  /** The deployed integrations that need an app of it. */
  readonly integrations: readonly Integration[];
}

/** Those where customers connect on a page of the provider, by their names. Those that an integration needs come first. */
export function oauthProviders(
  providers: Readonly<Record<string, ProviderInfo>>,
  integrations: readonly Integration[],
): OAuthProvider[] {
  return Object.values(providers)
    .filter(({ oauth2Opts }) => oauth2Opts?.redirectURL !== undefined)
    .map((provider) => ({ provider, integrations: integrations.filter((one) => one.provider === provider.name) }))
    .sort((a, b) => Number(b.integrations.length > 0) - Number(a.integrations.length > 0));
}

interface NeededScope {
  readonly scope: string;
  readonly purpose: string;
}

/** What an app has to ask for: for any connection, and for each object that an integration reads or writes. Empty where nothing is known. */
export function scopesFor({ provider, integrations }: OAuthProvider): NeededScope[] {
  const objectsOf = (action: 'read' | 'write') =>
    integrations.flatMap(({ latestRevision: { content } }) => content[action]?.objects ?? []);
  const written = objectsOf('write').map(({ objectName }) => objectName);
  const all = new Set([...objectsOf('read').map(({ objectName }) => objectName), ...written]);
  return (provider.oauth2Opts?.scopes ?? []).flatMap(({ scope, neededFor, purpose }): NeededScope[] => {
    if (neededFor === 'connection') return [{ scope, purpose }];
    const objects = neededFor === 'write' ? new Set(written) : all;
    return [...objects].map((object) => ({
      scope: scope.replace('{object}', object),
      purpose: `${object}: ${purpose}`,
    }));
  });
}

/** Where the guide says how an app is made; of the others it has the steps that are common to all. */
const terms: Readonly<Record<string, GuideTerm>> = { hubspot: 'app at hubspot', salesforce: 'app at salesforce' };

/** What is set at the provider where an app is made. */
export function ProviderRequirements({ of }: { readonly of: OAuthProvider }) {
  const { name, displayName = name, oauth2Opts } = of.provider;
  const scopes = scopesFor(of);
  return (
    <section class="panel">
      <h2>At {displayName}</h2>
      <p class="fine">
        What to set where you make the app. <GuideLink of={terms[name] ?? 'provider app'}>How it is made</GuideLink>
      </p>
      <CopyField title={`Redirect address to register at ${displayName}`} value={oauth2Opts?.redirectURL ?? ''} />
      {scopes.length === 0 ? null : (
        <>
          <CopyField
            title={`Scopes that ${of.integrations.map((one) => one.name).join(', ') || 'a connection'} needs`}
            value={scopes.map(({ scope }) => scope).join(' ')}
          />
          <dl class="scopes">
            {scopes.map(({ scope, purpose }) => (
              <div key={scope}>
                <dt>
                  <code>{scope}</code>
                </dt>
                <dd>{purpose}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}
