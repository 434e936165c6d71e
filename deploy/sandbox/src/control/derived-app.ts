import { derivedUuid } from './derived';
import type { AppCredentials } from './grant';
import type { ProviderName } from './imitated-provider';

/** The OAuth app that accounts of a provider share unless they are opened with another; the same on every run. */
export function derivedApp(provider: ProviderName): AppCredentials {
  return { clientId: derivedUuid(`app of ${provider}`), clientSecret: derivedUuid(`app secret of ${provider}`) };
}
