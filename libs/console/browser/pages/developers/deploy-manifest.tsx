import type { Integration, IntegrationPreview, ManifestPreview } from '@sluice/types';
import { useState } from 'preact/hooks';
import { Badge } from '../../parts/badge';
import { Differences } from '../../parts/differences';
import { Empty } from '../../parts/empty';
import { issuesOf, type FieldIssue } from '../../parts/field';
import { LineDiff } from '../../parts/line-diff';
import { PageHead } from '../../parts/page-head';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { noteAnswer, noteFailure } from '../../network';
import { hrefOf } from '../../use-route';
import { apiOf, isOffered, type Api, type Session } from '../../session';
import { useLoad } from '../../use-load';
import { integrationYaml, manifestYaml } from './manifest-yaml';

interface DeployOptions {
  readonly session: Session;
  /** `load`: the integration whose manifest is changed; `all` of them. */
  readonly query: URLSearchParams;
}

/** Deploys a manifest: one that is pasted, or what is in force, changed. */
export function DeployPage({ session, query }: DeployOptions) {
  const api = apiOf(session.apiKey, session.project.id);
  const load = query.get('load') ?? '';
  const { value, error } = useLoad(`deploy ${load}`, async (signal) => {
    const integrations = await api.listIntegrations({}, { signal });
    const loaded = integrations.filter(({ id }) => load === 'all' || id === load);
    return { integrations, start: loaded.length === 0 ? '' : await manifestYaml(loaded.map(contentOf)) };
  });
  return (
    <>
      <PageHead
        title="Deploy a manifest"
        lead="Paste one, or load what is in force and change it. What it changes is shown before anything is deployed."
        back={{ href: hrefOf('developers/integrations'), text: 'Integrations' }}
      />
      {error === undefined ? null : <Problem error={error} title="The integrations could not be read" />}
      {!isOffered(session, 'frontend') ? (
        <Empty title="Not for viewers">A role or a key that may change integrations can do this.</Empty>
      ) : value === undefined ? (
        error === undefined ? (
          <Skeleton of="card" rows={12} />
        ) : null
      ) : (
        <>
          {value.integrations.length === 0 ? null : (
            <p class="load-links">
              Load what is in force:{' '}
              {value.integrations.map(({ id, name }) => (
                <a key={id} href={hrefOf('developers/integrations/deploy', { load: id })}>
                  {name}
                </a>
              ))}
              {value.integrations.length > 1 ? (
                <a href={hrefOf('developers/integrations/deploy', { load: 'all' })}>all</a>
              ) : null}
            </p>
          )}
          <Deployment key={load} api={api} start={value.start} />
        </>
      )}
    </>
  );
}

const contentOf = ({ latestRevision }: Integration) => latestRevision.content;

/** A manifest is deployed in two steps: what it would change is shown first, and what was shown is deployed. */
function Deployment({ api, start }: { readonly api: Api; readonly start: string }) {
  const [sourceYaml, setText] = useState(start);
  const [isDestructive, setDestructive] = useState(false);
  const [shown, setShown] = useState<Shown>();
  const [error, setError] = useState<unknown>();
  const [outcome, setOutcome] = useState('');
  const [isBusy, setBusy] = useState(false);
  const change = (text: string): void => {
    setText(text);
    setShown(undefined);
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
  const show = (): Promise<void> => act(async () => setShown(await withTexts(await load())));
  const deploy = (): Promise<void> =>
    act(async () => {
      const now = await load();
      // Another person has deployed meanwhile, so the changes that were confirmed are no longer those that would be made.
      if (JSON.stringify(now) !== JSON.stringify(shown?.preview)) {
        setShown(await withTexts(now));
        setDestructive(false);
        return setOutcome('Nothing was deployed: the integrations were changed meanwhile. These are the changes now.');
      }
      const deployed = await api.deployManifest({ destructive: isDestructive, body: { sourceYaml } });
      setOutcome(`Deployed: ${deployed.map(({ name }) => name).join(', ')}.`);
      setShown(undefined);
    });
  return (
    <section class="panel">
      <ManifestForm
        text={sourceYaml}
        error={error}
        isBusy={isBusy}
        isShown={shown !== undefined}
        onChange={change}
        onShow={() => void show()}
      />
      <p role="status">{outcome}</p>
      {shown === undefined ? null : (
        <Changes
          {...shown}
          isDestructive={isDestructive}
          isBusy={isBusy}
          onDestructive={setDestructive}
          onDeploy={() => void deploy()}
        />
      )}
    </section>
  );
}

/** What a deployment would change, and both sides of each integration as YAML. */
interface Shown {
  readonly preview: ManifestPreview;
  readonly texts: readonly Texts[];
}

interface Texts {
  readonly before: string;
  readonly after: string;
}

async function withTexts(preview: ManifestPreview): Promise<Shown> {
  const textsOf = async ({ before, after }: IntegrationPreview): Promise<Texts> => ({
    before: await integrationYaml(before),
    after: await integrationYaml(after),
  });
  return { preview, texts: await Promise.all(preview.integrations.map(textsOf)) };
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
          rows={18}
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

interface ChangesOptions extends Shown {
  readonly isDestructive: boolean;
  readonly isBusy: boolean;
  readonly onDestructive: (isDestructive: boolean) => void;
  readonly onDeploy: () => void;
}

/** What would become of each integration, and the button that does it when something would change. */
function Changes({ preview, texts, isDestructive, isBusy, onDestructive, onDeploy }: ChangesOptions) {
  const { integrations } = preview;
  const removed = integrations.flatMap(removedReads);
  return (
    <>
      {integrations.map((each, at) => (
        <IntegrationChange key={each.name} preview={each} texts={texts[at]} />
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
  texts,
}: {
  readonly preview: IntegrationPreview;
  readonly texts: Texts | undefined;
}) {
  return (
    <section>
      <h2>
        {name} <span class="fine">{provider}</span> <Badge of={change} />
      </h2>
      {change === 'unchanged' ? null : (
        <>
          <Differences
            from={{ title: before === undefined ? 'Nothing' : 'In force', content: keyed(before ?? {}) }}
            to={{ title: 'After', content: keyed(after) }}
          />
          {texts === undefined ? null : <LineDiff {...texts} label={`Lines of ${name} that change`} />}
        </>
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
