import type { Caller, ProviderApp } from '@sluice/types';

/** Where an administrator installs the app's package, before its users allow it in. Source: @amp-labs/react 2.16.1. */
const installPage = 'packageInstallURL';

/**
 * The app as this caller may see it. Keys of a backend see all of it; a browser (a `frontend` key, a bearer token) sees what the
 * address of the authorization shows to it anyway, and where the package is installed.
 */
export function presentProviderApp({ scopes }: Caller, app: ProviderApp): ProviderApp {
  if (scopes.includes('full') || scopes.includes('read')) return app;
  const { id, projectId, provider, clientId, createTime } = app;
  const { [installPage]: page } = app.metadata?.providerParams ?? {};
  const metadata = page === undefined ? {} : { metadata: { providerParams: { [installPage]: page } } };
  return { id, projectId, provider, clientId, createTime, ...metadata };
}
