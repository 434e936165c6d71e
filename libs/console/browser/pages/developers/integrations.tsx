import type { Integration, IntegrationPreview, ManifestPreview } from '@sluice/types';
import { useState } from 'preact/hooks';
import { Badge } from '../../parts/badge';
import { Differences } from '../../parts/differences';
import { Empty } from '../../parts/empty';
import { issuesOf, type FieldIssue } from '../../parts/field';
import { Moment } from '../../parts/moment';
import { PageHead } from '../../parts/page-head';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { Table, type Column } from '../../parts/table';
import { shortId } from '../../format';
import { noteAnswer, noteFailure } from '../../network';
import { apiOf, isOffered, type Api, type Session } from '../../session';
import { useLoad } from '../../use-load';

/** What the project's manifests declare, and the way to another one. */
export function IntegrationsPage({ session }: { readonly session: Session }) {
  const api = apiOf(session.apiKey, session.project.id);
  const list = useLoad('integrations', (signal) => api.listIntegrations({}, { signal }));
  return (
    <>
      <PageHead title="Integrations" lead="A manifest declares what your integrations read and write." />
      {list.error === undefined ? null : <Problem error={list.error} title="The integrations could not be read" />}
      {list.value === undefined ? (
        list.error === undefined ? (
          <Skeleton of="table" rows={3} />
        ) : null
      ) : list.value.length === 0 ? (
        <Empty title="No integration yet">A manifest declares them.</Empty>
      ) : (
        <Table columns={columns} rows={list.value} keyOf={({ id }) => id} />
      )}
      {isOffered(session, 'frontend') ? <Deployment api={api} onDone={list.reload} /> : null}
    </>
  );
}

const namesOf = (objects: readonly { readonly objectName: string }[] = []): string =>
  objects.map(({ objectName }) => objectName).join(', ') || '–';

const columns: readonly Column<Integration>[] = [
  { title: 'Name', width: 'wide', phone: 'name', tip: ({ id }) => id, cell: ({ name }) => name },
  { title: 'Provider', width: 'middle', phone: 'badge', cell: ({ provider }) => provider },
  { title: 'Reads', phone: 'none', cell: ({ latestRevision }) => namesOf(latestRevision.content.read?.objects) },
  {
    title: 'Writes',
    cell: ({ latestRevision }) => namesOf(latestRevision.content.write?.objects),
  },
  {
    title: 'Revision',
    width: 'wide',
    phone: 'aside',
    cell: ({ latestRevision: { id, createTime } }) => (
      <>
        <code title={id}>{shortId(id)}</code> <Moment of={createTime} />
      </>
    ),
  },
];

/** A manifest is deployed in two steps: what it would change is shown first, and what was shown is deployed. */
function Deployment({ api, onDone }: { readonly api: Api; readonly onDone: () => void }) {
  const [sourceYaml, setText] = useState('');
  const [isDestructive, setDestructive] = useState(false);
  const [preview, setPreview] = useState<ManifestPreview>();
  const [error, setError] = useState<unknown>();
  const [outcome, setOutcome] = useState('');
  const [isBusy, setBusy] = useState(false);
  const change = (text: string): void => {
    setText(text);
    setPreview(undefined);
    setDestructive(false);
  };
  const act = async (send: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    setOutcome('');
    try {
      await send();
      noteAnswer();
    } catch (caught) {
      noteFailure(caught);
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  const load = (): Promise<ManifestPreview> => api.previewManifest({ body: { sourceYaml } });
  const show = (): Promise<void> => act(async () => setPreview(await load()));
  const deploy = (): Promise<void> =>
    act(async () => {
      const now = await load();
      // Another person has deployed meanwhile, so the changes that were confirmed are no longer those that would be made.
      if (JSON.stringify(now) !== JSON.stringify(preview)) {
        setPreview(now);
        setDestructive(false);
        return setOutcome('Nothing was deployed: the integrations were changed meanwhile. These are the changes now.');
      }
      const deployed = await api.deployManifest({ destructive: isDestructive, body: { sourceYaml } });
      setOutcome(`Deployed: ${deployed.map(({ name }) => name).join(', ')}.`);
      setPreview(undefined);
      onDone();
    });
  return (
    <section class="panel">
      <h2>Deploy a manifest</h2>
      <ManifestForm
        text={sourceYaml}
        error={error}
        isBusy={isBusy}
        isShown={preview !== undefined}
        onChange={change}
        onShow={() => void show()}
      />
      <p role="status">{outcome}</p>
      {preview === undefined ? null : (
        <Changes
          preview={preview}
          isDestructive={isDestructive}
          isBusy={isBusy}
          onDestructive={setDestructive}
          onDeploy={() => void deploy()}
        />
      )}
    </section>
  );
}

interface ManifestFormOptions {
  readonly text: string;
  readonly error: unknown;
  readonly isBusy: boolean;
  /** The changes stand below already. */
  readonly isShown: boolean;
  readonly onChange: (text: string) => void;
  readonly onShow: () => void;
}

function ManifestForm({ text, error, isBusy, isShown, onChange, onShow }: ManifestFormOptions) {
  const issues = issuesOf(error);
  const hasIssue = issues.length > 0;
  return (
    <form
      class="form broad"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onShow();
      }}
    >
      <label>
        Manifest, as YAML
        <textarea
          rows={14}
          spellcheck={false}
          value={text}
          aria-invalid={hasIssue}
          aria-describedby={hasIssue ? 'issues-manifest' : undefined}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      </label>
      {hasIssue ? <ManifestIssues issues={issues} /> : null}
      {error === undefined || hasIssue ? null : <Problem error={error} title="The manifest was refused" />}
      <button type="submit" class={isShown ? '' : 'primary'} disabled={isBusy}>
        Show what it changes
      </button>
    </form>
  );
}

interface ChangesOptions {
  readonly preview: ManifestPreview;
  readonly isDestructive: boolean;
  readonly isBusy: boolean;
  readonly onDestructive: (isDestructive: boolean) => void;
  readonly onDeploy: () => void;
}

/** What would become of each integration, and the button that does it when something would change. */
function Changes({ preview: { integrations }, isDestructive, isBusy, onDestructive, onDeploy }: ChangesOptions) {
  const removed = integrations.flatMap(removedReads);
  return (
    <>
      {integrations.map((each) => (
        <IntegrationChange key={each.name} preview={each} />
      ))}
      <p class="fine">Integrations that the manifest leaves out stay as they are.</p>
      {removed.length === 0 ? null : (
        <label class="check">
          <input
            type="checkbox"
            checked={isDestructive}
            onChange={({ currentTarget }) => onDestructive(currentTarget.checked)}
          />
          Stop reading {removed.join(', ')} in every installation
        </label>
      )}
      {integrations.some((each) => each.change !== 'unchanged') ? (
        <p>
          <button type="button" class="primary" disabled={isBusy} onClick={onDeploy}>
            Deploy it
          </button>
        </p>
      ) : null}
    </>
  );
}

/** Objects that the integration no longer reads: `contacts of crm`. */
function removedReads({ name, before, after }: IntegrationPreview): string[] {
  const kept = new Set(after.read?.objects?.map(({ objectName }) => objectName));
  const names = (before?.read?.objects ?? []).map(({ objectName }) => objectName);
  return names.filter((each) => !kept.has(each)).map((each) => `${each} of ${name}`);
}

function ManifestIssues({ issues }: { readonly issues: readonly FieldIssue[] }) {
  return (
    <div class="issue" id="issues-manifest" role="alert">
      <ul>
        {issues.map(({ name, detail, value, remedy }, at) => (
          <li key={at}>
            {name} {detail}
            {value === undefined ? '' : `, not ${value}`}. {at === issues.length - 1 ? remedy : ''}
          </li>
        ))}
      </ul>
    </div>
  );
}

function IntegrationChange({
  preview: { name, provider, change, before, after },
}: {
  readonly preview: IntegrationPreview;
}) {
  return (
    <section>
      <h3>
        {name} <span class="fine">{provider}</span> <Badge of={change} />
      </h3>
      {change === 'unchanged' ? null : (
        <Differences
          from={{ title: before === undefined ? 'Nothing' : 'In force', content: keyed(before ?? {}) }}
          to={{ title: 'After', content: keyed(after) }}
        />
      )}
    </section>
  );
}

/** Lists of things that have a name, by their names: then one field that differs is one difference. */
function keyed(content: object): object {
  return byName(content) as object;
}

function byName(value: unknown): unknown {
  if (Array.isArray(value)) {
    const names = value.map(nameOf);
    const isNamed = names.every((name) => name !== undefined) && new Set(names).size === names.length;
    return isNamed ? Object.fromEntries(value.map((each, at) => [names[at], byName(each)])) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, byName(each)]));
}

function nameOf(value: unknown): string | undefined {
  const named = (value ?? {}) as {
    readonly objectName?: string;
    readonly mapToName?: string;
    readonly fieldName?: string;
  };
  return named.objectName ?? named.mapToName ?? named.fieldName;
}
