import type { Integration } from '@sluice/types';
import { Author } from '../../parts/author';
import { Empty } from '../../parts/empty';
import { GuideLink } from '../../parts/guide-link';
import { Moment } from '../../parts/moment';
import { PageHead } from '../../parts/page-head';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { Table, type Column } from '../../parts/table';
import { shortId } from '../../format';
import { hrefOf } from '../../use-route';
import { apiOf, isOffered, type Session } from '../../session';
import { useLoad } from '../../use-load';
import { integrationYaml } from './manifest-yaml';

/** What the project's manifests declare, and the way to another one. */
export function IntegrationsPage({ session }: { readonly session: Session }) {
  const api = apiOf(session.apiKey, session.project.id);
  const list = useLoad('integrations', (signal) => api.listIntegrations({}, { signal }));
  const isChangeable = isOffered(session, 'frontend');
  return (
    <>
      <PageHead
        title="Integrations"
        lead={
          <>
            A <GuideLink of="manifest">manifest</GuideLink> declares what your integrations read and write.
          </>
        }
        actions={
          isChangeable ? (
            <a class="button primary" href={hrefOf('developers/integrations/deploy')}>
              Deploy a manifest
            </a>
          ) : null
        }
      />
      {list.error === undefined ? null : <Problem error={list.error} title="The integrations could not be read" />}
      {list.value === undefined ? (
        list.error === undefined ? (
          <Skeleton of="table" rows={3} />
        ) : null
      ) : list.value.length === 0 ? (
        <Empty title="No integration yet">
          <a href={hrefOf('developers/integrations/deploy')}>Deploy a manifest</a>: it declares them.
        </Empty>
      ) : (
        <Table columns={columns} rows={list.value} keyOf={({ id }) => id} isClickable />
      )}
    </>
  );
}

const namesOf = (objects: readonly { readonly objectName: string }[] = []): string =>
  objects.map(({ objectName }) => objectName).join(', ') || '–';

const columns: readonly Column<Integration>[] = [
  {
    title: 'Name',
    width: 'wide',
    phone: 'name',
    cell: ({ id, name }) => (
      <a class="whole-row" href={hrefOf(`developers/integrations/${id}`)}>
        {name}
      </a>
    ),
  },
  { title: 'Provider', width: 'middle', phone: 'badge', cell: ({ provider }) => provider },
  { title: 'Reads', phone: 'none', cell: ({ latestRevision }) => namesOf(latestRevision.content.read?.objects) },
  { title: 'Writes', cell: ({ latestRevision }) => namesOf(latestRevision.content.write?.objects) },
  {
    title: 'Deployed by',
    width: 'middle',
    phone: 'none',
    cell: ({ latestRevision }) => <Author {...latestRevision} />,
  },
  {
    title: 'Deployed',
    width: 'middle',
    phone: 'aside',
    cell: ({ latestRevision }) => <Moment of={latestRevision.createTime} />,
  },
];

interface IntegrationOptions {
  readonly session: Session;
  readonly integrationId: string;
}

/** One integration: the manifest in force, and who deployed it. */
export function IntegrationPage({ session, integrationId }: IntegrationOptions) {
  const api = apiOf(session.apiKey, session.project.id);
  const { value, error } = useLoad(integrationId, async (signal) => {
    const integration = await api.getIntegration({ integrationId }, { signal });
    return { integration, text: await integrationYaml(integration.latestRevision.content) };
  });
  const back = { href: hrefOf('developers/integrations'), text: 'Integrations' };
  if (value === undefined)
    return (
      <>
        <PageHead title="Integration" back={back} />
        {error === undefined ? (
          <Skeleton of="card" rows={12} />
        ) : (
          <Problem error={error} title="The integration could not be read" />
        )}
      </>
    );
  const { integration, text } = value;
  const { id: revisionId, createTime, ...revision } = integration.latestRevision;
  return (
    <>
      <PageHead
        title={integration.name}
        lead={
          <>
            {integration.provider} · revision <code title={revisionId}>{shortId(revisionId)}</code>, deployed{' '}
            <Moment of={createTime} /> by <Author {...revision} />
          </>
        }
        back={back}
        actions={
          isOffered(session, 'frontend') ? (
            <a class="button primary" href={hrefOf('developers/integrations/deploy', { load: integration.id })}>
              Change it
            </a>
          ) : null
        }
      />
      <section class="panel">
        <h2>Manifest in force</h2>
        <pre tabIndex={0}>{text}</pre>
        <p class="fine">Written from what is in force: comments of the deployed text are not kept.</p>
      </section>
    </>
  );
}
