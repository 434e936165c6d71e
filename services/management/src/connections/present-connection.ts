import { publishInstallation, type Caller, type Connection, type Installation } from '@sluice/types';
import { presentProviderApp } from './present-provider-app';

/** The connection as this caller may see it: with as much of its app as a list of the apps would show. */
export function presentConnection(caller: Caller, connection: Connection): Connection {
  const { providerApp: app } = connection;
  return app === undefined ? connection : { ...connection, providerApp: presentProviderApp(caller, app) };
}

/** The installation as this caller may see it, in the shape of replies. */
export function presentInstallation(caller: Caller, installation: Installation): Installation {
  return { ...publishInstallation(installation), connection: presentConnection(caller, installation.connection) };
}
