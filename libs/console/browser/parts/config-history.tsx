import { diffJson, type AuthoredConfig, type Installation } from '@sluice/types';
import { useState } from 'preact/hooks';
import { inFull, shortId } from '../format';
import { goTo, hrefOf } from '../use-route';
import { apiOf, isOffered, type Api, type Session } from '../session';
import { useLoad } from '../use-load';
import { Author, authorName } from './author';
import { ConfigChanges } from './config-changes';
import { Confirm } from './confirm';
import { LineDiff } from './line-diff';
import { Moment } from './moment';
import { Problem } from './problem';
import { Skeleton } from './skeleton';

/** Versions that are read at once: a config has up to some hundred kB. */
const pageSize = 20;
/** A page of larger configs may have been cut: the service ends it at a megabyte. */
const cutCharacters = 500_000;

interface HistoryOptions {
  readonly session: Session;
  readonly installation: Installation;
  /** `from` and `to` are the versions that are compared; `before` begins an older page. */
  readonly query: URLSearchParams;
  readonly onChange: () => void;
}

/** The config in force, what each version changed and who wrote it, and the way back. */
export function ConfigHistory({ session, installation, query, onChange }: HistoryOptions) {
  const api = apiOf(session.apiKey, session.project.id);
  const { id: installationId, config: inForce } = installation;
  const [restored, setRestored] = useState<AuthoredConfig>();
  const before = query.get('before') ?? undefined;
  // Another config in force: there is a newer version than the list has.
  const list = useLoad(`${installationId} ${inForce.id} ${before}`, (signal) =>
    readVersions(api, installation, before, signal),
  );
  const close = (): void => {
    setRestored(undefined);
    // What was refused may be of another config by now.
    onChange();
  };
  return (
    <section class="panel">
      <div class="title">
        <h2>Mapping and defaults</h2>
        {isOffered(session, 'frontend') ? (
          <div class="actions">
            <a class="button" href={hrefOf(`customers/${installationId}/config`)}>
              Edit
            </a>
          </div>
        ) : null}
      </div>
      <p class="fine facts">Each change is a new version, in force for the next write or search.</p>
      <details>
        <summary>Show the config in force</summary>
        <pre tabIndex={0}>{JSON.stringify(inForce.content, null, 2)}</pre>
      </details>
      <h3>History</h3>
      {list.error === undefined ? null : <Problem error={list.error} title="The history could not be read" />}
      {list.value === undefined ? (
        list.error === undefined ? (
          <Skeleton of="text" />
        ) : null
      ) : (
        <>
          <ol class="history">
            {list.value.versions.map((config, at) => (
              <VersionItem
                key={config.id}
                config={config}
                previous={list.value?.versions[at + 1] ?? list.value?.older}
                inForce={inForce}
                onRestore={isOffered(session, 'frontend') ? () => setRestored(config) : undefined}
              />
            ))}
          </ol>
          <Pages installationId={installationId} query={query} versions={list.value} />
          <Comparison
            key={`${query.has('from')}`}
            api={api}
            installation={installation}
            versions={list.value.versions}
            query={query}
          />
        </>
      )}
      {restored === undefined ? null : (
        <Restore api={api} installation={installation} config={restored} onClose={close} />
      )}
    </section>
  );
}

interface Versions {
  /** Newest first. */
  readonly versions: readonly AuthoredConfig[];
  /** The one before the last of them. Absent: that is the first. */
  readonly older?: AuthoredConfig;
}

async function readVersions(
  api: Api,
  { id: installationId, integrationId }: Installation,
  before: string | undefined,
  signal: AbortSignal,
): Promise<Versions> {
  const page = { pageSize: pageSize + 1, ...(before === undefined ? {} : { pageToken: before }) };
  const versions = await api.listConfigs({ integrationId, installationId, ...page }, { signal });
  const older = versions[pageSize];
  if (older !== undefined) return { versions: versions.slice(0, pageSize), older };
  const last = versions.at(-1);
  if (last === undefined || JSON.stringify(versions).length < cutCharacters) return { versions };
  const read = (configId: string) => api.getConfig({ integrationId, installationId, configId }, { signal });
  const { previousConfigId } = await read(last.id);
  return previousConfigId === undefined ? { versions } : { versions, older: await read(previousConfigId) };
}

interface ItemOptions {
  readonly config: AuthoredConfig;
  readonly previous: AuthoredConfig | undefined;
  readonly inForce: Installation['config'];
  /** Absent: none can be restored. */
  readonly onRestore: (() => void) | undefined;
}

function VersionItem({ config, previous, inForce, onRestore }: ItemOptions) {
  const [isOpen, setOpen] = useState(false);
  const isRestorable = onRestore !== undefined && diffJson(config.content, inForce.content).length > 0;
  return (
    <li>
      <div class="version">
        <Author {...config} />
        <span class="fine">
          <Moment of={config.createTime} /> <code title={config.id}>{shortId(config.id)}</code>
        </span>
        {config.id === inForce.id ? <span class="badge good">in force</span> : null}
        <span class="row-actions">
          {previous === undefined ? null : (
            <button
              type="button"
              class="link"
              aria-expanded={isOpen}
              aria-label={`JSON of ${shortId(config.id)}`}
              onClick={() => setOpen(!isOpen)}
            >
              JSON
            </button>
          )}
          {isRestorable ? (
            <button type="button" class="link" aria-label={`Restore ${shortId(config.id)}…`} onClick={onRestore}>
              Restore…
            </button>
          ) : null}
        </span>
      </div>
      {previous === undefined ? (
        <p class="fine">The first config of the installation.</p>
      ) : (
        <ConfigChanges before={previous.content} after={config.content} none="The same content, by another author." />
      )}
      {isOpen && previous !== undefined ? <JsonDiff from={previous} to={config} /> : null}
    </li>
  );
}

type Side = Pick<AuthoredConfig, 'id' | 'content'>;

function JsonDiff({ from, to }: { readonly from: Side; readonly to: Side }) {
  return (
    <LineDiff
      before={JSON.stringify(from.content, null, 2)}
      after={JSON.stringify(to.content, null, 2)}
      label={`Lines that differ between ${shortId(from.id)} and ${shortId(to.id)}`}
    />
  );
}

interface PagesOptions {
  readonly installationId: string;
  readonly query: URLSearchParams;
  readonly versions: Versions;
}

function Pages({ installationId, query, versions: { versions, older } }: PagesOptions) {
  const { before, ...compared } = Object.fromEntries(query);
  const last = versions.at(-1);
  if (before === undefined && older === undefined) return null;
  const path = `customers/${installationId}`;
  return (
    <p class="pager">
      {before === undefined ? <span /> : <a href={hrefOf(path, compared)}>Newest versions</a>}
      {last === undefined || older === undefined ? null : (
        <a href={hrefOf(path, { ...compared, before: pageTokenOf(last.id) })}>Older versions</a>
      )}
    </p>
  );
}

/** Of the page that begins after this id. Source: the service's page tokens are its bytes. */
function pageTokenOf(id: string): string {
  const bytes = id.replaceAll('-', '').match(/../g) ?? [];
  const text = bytes.map((byte) => String.fromCodePoint(Number.parseInt(byte, 16))).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

interface ComparisonOptions extends Pick<HistoryOptions, 'installation' | 'query'> {
  readonly api: Api;
  readonly versions: readonly AuthoredConfig[];
}

/** Any two versions, older ones by their id too; the address keeps the choice. */
function Comparison({ api, installation, versions, query }: ComparisonOptions) {
  const { id: installationId, integrationId, config: inForce } = installation;
  const { before, from = versions[1]?.id ?? inForce.id, to = inForce.id } = Object.fromEntries(query);
  const [isOpen, setOpen] = useState(query.has('from'));
  const pair = useLoad(`${isOpen} ${from} ${to}`, async (signal) => {
    const read = async (configId: string): Promise<AuthoredConfig> =>
      versions.find(({ id }) => id === configId) ??
      (await api.getConfig({ integrationId, installationId, configId }, { signal }));
    return isOpen ? ([await read(from), await read(to)] as const) : undefined;
  });
  const choose = (chosen: { readonly from?: string; readonly to?: string }): void =>
    goTo(hrefOf(`customers/${installationId}`, { from, to, ...chosen, before }));
  if (versions.length < 2 && !query.has('from')) return null;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Compare two versions</summary>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <VersionChoice title="From" chosen={from} versions={versions} onChoose={(id) => choose({ from: id })} />
        <VersionChoice title="to" chosen={to} versions={versions} onChoose={(id) => choose({ to: id })} />
      </form>
      {pair.error === undefined ? null : <Problem error={pair.error} title="The versions could not be compared" />}
      {pair.value === undefined ? null : (
        <div class="comparison">
          <ConfigChanges
            before={pair.value[0].content}
            after={pair.value[1].content}
            none="Both have the same content."
          />
          <JsonDiff from={pair.value[0]} to={pair.value[1]} />
        </div>
      )}
    </details>
  );
}

interface ChoiceOptions {
  readonly title: string;
  readonly chosen: string;
  readonly versions: readonly AuthoredConfig[];
  readonly onChoose: (id: string) => void;
}

function VersionChoice({ title, chosen, versions, onChoose }: ChoiceOptions) {
  const isListed = versions.some(({ id }) => id === chosen);
  return (
    <label>
      {title}
      <select value={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {isListed ? null : <option value={chosen}>{shortId(chosen)}</option>}
        {versions.map(({ id, createTime, createdBy, createdByLabel }) => (
          <option key={id} value={id}>
            {shortId(id)}, {inFull(createTime)}, {createdByLabel ?? authorName(createdBy)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface RestoreOptions extends Pick<HistoryOptions, 'installation'> {
  readonly api: Api;
  readonly config: AuthoredConfig;
  readonly onClose: () => void;
}

/** Asks with what would change. A change that is refused because another person changed the config has no effect. */
function Restore({ api, installation, config, onClose }: RestoreOptions) {
  // As it was when the question was asked: what is decided on is what was seen.
  const [seen] = useState(installation.config);
  const { id: installationId, integrationId } = installation;
  const restore = async (): Promise<void> => {
    await api.restoreConfig({ integrationId, installationId, configId: config.id, ifConfigId: seen.id });
    onClose();
  };
  return (
    <Confirm title="Put this version in force?" verb="Restore" onConfirm={restore} onClose={onClose}>
      <p>
        Version <code>{shortId(config.id)}</code> of <Author {...config} /> becomes a new one, in force for the next
        write or search. What has been accepted keeps its config.
      </p>
      <ConfigChanges before={seen.content} after={config.content} none="Both have the same content." />
    </Confirm>
  );
}
