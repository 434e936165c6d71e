import type { Installation, InstallationHealth, Integration } from '@sluice/types';
import { ConfigEditor } from '../parts/config-editor';
import { CustomerName } from '../parts/customer-name';
import { Empty } from '../parts/empty';
import { GuideLink } from '../parts/guide-link';
import { PageHead } from '../parts/page-head';
import { Problem } from '../parts/problem';
import { Skeleton } from '../parts/skeleton';
import { hrefOf } from '../use-route';
import { apiOf, isOffered, type Api, type Session } from '../session';
import { useLoad } from '../use-load';

const everyMs = 5_000;

interface Loaded {
  readonly health: InstallationHealth;
  readonly installation: Installation;
  readonly integration: Integration;
}

/** The config of one installation, edited in a form of the account's fields or as JSON. */
export function ConfigEditorPage({
  session,
  installationId,
}: {
  readonly session: Session;
  readonly installationId: string;
}) {
  const api = apiOf(session.apiKey, session.project.id);
  const { value, error, reload } = useLoad(installationId, (signal) => readInstallation(api, installationId, signal), {
    everyMs,
  });
  const health = value?.health;
  return (
    <>
      <PageHead
        back={{ href: hrefOf(`customers/${installationId}`), text: 'The customer' }}
        title="Mapping and defaults"
        lead={
          health === undefined ? undefined : (
            <>
              <CustomerName {...health} /> · {health.integrationName} ·{' '}
              <GuideLink of="mapping">How mapping works</GuideLink>
            </>
          )
        }
      />
      {error === undefined ? null : <Problem error={error} title="The config could not be read" />}
      {!isOffered(session, 'frontend') ? (
        <Empty title="Not for viewers">A role or a key that may change installations can do this.</Empty>
      ) : value === undefined ? (
        error === undefined ? (
          <Skeleton of="card" rows={10} />
        ) : null
      ) : (
        <ConfigEditor api={api} {...value} onReload={reload} />
      )}
    </>
  );
}

/** @throws an error in the form of the client's, for an installation that is not there */
async function readInstallation(api: Api, installationId: string, signal: AbortSignal): Promise<Loaded> {
  const { results } = await api.listInstallationHealth({ installationId }, { signal });
  const [health] = results;
  if (health === undefined) throw new GoneError();
  const { integrationId } = health;
  const [installation, integration] = await Promise.all([
    api.getInstallation({ integrationId, installationId }, { signal }),
    api.getIntegration({ integrationId }, { signal }),
  ]);
  return { health, installation, integration };
}

class GoneError extends Error {
  readonly detail = 'There is no such installation in this project. It may have been deleted.';
  readonly remedy = 'Choose one of the customers.';
}
