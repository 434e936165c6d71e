import { pluralize, diffJson, type Config, type Installation } from '@sluice/types';
import { useState } from 'preact/hooks';
import { shortId } from '../format';
import { goTo, hrefOf } from '../use-route';
import { apiOf, isOffered, type Api, type Session } from '../session';
import { useLoad } from '../use-load';
import { Confirm } from './confirm';
import { Differences } from './differences';
import { Moment } from './moment';
import { Problem } from './problem';
import { Table, type Column } from './table';

/** Who wrote it: a consumer by its ref, a key or a person by id. Source: specification, Config. */
export function inWords(author: string): string {
  const [, kind = '', ref = ''] = /^(consumer|builder|api):(.*)$/s.exec(author) ?? [];
  if (kind === 'consumer') return `the customer's user ${ref}`;
  return kind === '' ? author : `${kind === 'api' ? 'the API' : 'your key or person'} ${shortId(ref)}`;
}

/** Versions that are read at once: a config has up to some hundred kB. */
const pageSize = 20;

interface HistoryOptions {
  readonly session: Session;
  readonly installation: Installation;
  /** `from` and `to` are the versions that are compared; `before` begins an older page. */
  readonly query: URLSearchParams;
  readonly onChange: () => void;
}

/** The config in force, what it was before, what differs, and the way back. */
export function ConfigHistory({ session, installation, query, onChange }: HistoryOptions) {
  const api = apiOf(session.apiKey, session.project.id);
  const { id: installationId, integrationId, config: inForce } = installation;
  const [restored, setRestored] = useState<Config>();
  const before = query.get('before') ?? undefined;
  // Another config in force: there is a newer version than the list has.
  const list = useLoad(`${installationId} ${inForce.id} ${before}`, (signal) =>
    api.listConfigs(
      { integrationId, installationId, pageSize: pageSize + 1, ...(before === undefined ? {} : { pageToken: before }) },
      { signal },
    ),
  );
  const versions = list.value?.slice(0, pageSize) ?? [];
  return (
    <section class="panel">
      <h2>Config</h2>
      <p class="fine facts">
        In force: <code title={inForce.id}>{shortId(inForce.id)}</code>, written <Moment of={inForce.createTime} /> by{' '}
        <span title={inForce.createdBy}>{inWords(inForce.createdBy)}</span>
      </p>
      <details>
        <summary>Show it</summary>
        <pre tabIndex={0}>{JSON.stringify(inForce.content, null, 2)}</pre>
      </details>
      {list.error === undefined ? null : <Problem error={list.error} title="The history could not be read" />}
      {versions.length === 0 ? null : (
        <>
          <h3>History</h3>
          <VersionTable
            versions={versions}
            installation={installation}
            onRestore={isOffered(session, 'frontend') ? setRestored : undefined}
          />
          <Comparison api={api} installation={installation} versions={versions} query={query} />
        </>
      )}
      {restored === undefined ? null : (
        <Restore
          api={api}
          installation={installation}
          config={restored}
          onDone={() => {
            setRestored(undefined);
            onChange();
          }}
          onClose={() => {
            setRestored(undefined);
            // What was refused may be of another config by now.
            onChange();
          }}
        />
      )}
    </section>
  );
}

interface TableOptions {
  readonly versions: readonly Config[];
  readonly installation: Installation;
  /** Absent: none can be restored. */
  readonly onRestore: ((config: Config) => void) | undefined;
}

function VersionTable({ versions, installation, onRestore }: TableOptions) {
  const { id, config: inForce } = installation;
  const rows = versions.map((config) => ({
    config,
    differences: diffJson(config.content, inForce.content).length,
  }));
  const columns: readonly Column<(typeof rows)[number]>[] = [
    {
      title: 'Version',
      width: 'middle',
      phone: 'name',
      cell: ({ config }) => <code title={config.id}>{shortId(config.id)}</code>,
    },
    { title: 'Written', width: 'middle', phone: 'aside', cell: ({ config }) => <Moment of={config.createTime} /> },
    { title: 'By', cell: ({ config }) => <span title={config.createdBy}>{inWords(config.createdBy)}</span> },
    {
      title: 'Differs from the one in force',
      width: 'wide',
      phone: 'badge',
      cell: ({ config, differences }) =>
        config.id === inForce.id ? (
          <span class="badge good">in force</span>
        ) : differences === 0 ? (
          <span class="fine">the same content</span>
        ) : (
          <a href={hrefOf(`customers/${id}`, { from: config.id, to: inForce.id })}>
            {pluralize(differences, 'difference')}
          </a>
        ),
    },
    {
      title: '',
      width: 'middle',
      cell: ({ config, differences }) =>
        differences === 0 || onRestore === undefined ? null : (
          <button
            type="button"
            class="link"
            aria-label={`Restore ${shortId(config.id)}…`}
            onClick={() => onRestore(config)}
          >
            Restore…
          </button>
        ),
    },
  ];
  return <Table columns={columns} rows={rows} keyOf={({ config }) => config.id} />;
}

interface ComparisonOptions extends Pick<HistoryOptions, 'installation' | 'query'> {
  readonly api: Api;
  readonly versions: readonly Config[];
}

/** Any two versions side by side, older ones by their id too. */
function Comparison({ api, installation, versions, query }: ComparisonOptions) {
  const { id: installationId, integrationId, config: inForce } = installation;
  const from = query.get('from') ?? versions[1]?.id ?? inForce.id;
  const to = query.get('to') ?? inForce.id;
  const before = query.get('before') ?? undefined;
  const pair = useLoad(`${from} ${to}`, async (signal) => {
    const read = async (configId: string): Promise<Config> =>
      versions.find(({ id }) => id === configId) ??
      (await api.getConfig({ integrationId, installationId, configId }, { signal }));
    return [await read(from), await read(to)] as const;
  });
  const choose = (chosen: { readonly from?: string; readonly to?: string }): void =>
    goTo(hrefOf(`customers/${installationId}`, { from, to, ...chosen, before }));
  const last = versions.at(-1);
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <VersionChoice title="Compare" chosen={from} versions={versions} onChoose={(id) => choose({ from: id })} />
        <VersionChoice title="with" chosen={to} versions={versions} onChoose={(id) => choose({ to: id })} />
        {before === undefined ? null : (
          <a href={hrefOf(`customers/${installationId}`, { from, to })}>Newest versions</a>
        )}
        {last === undefined || versions.length < pageSize ? null : (
          <a href={hrefOf(`customers/${installationId}`, { from, to, before: pageTokenOf(last.id) })}>Older versions</a>
        )}
      </form>
      {pair.error === undefined ? null : <Problem error={pair.error} title="The versions could not be compared" />}
      {pair.value === undefined ? null : <Differences from={sideOf(pair.value[0])} to={sideOf(pair.value[1])} />}
    </>
  );
}

/** Of the page that begins after this id. Source: the service's page tokens are its bytes. */
function pageTokenOf(id: string): string {
  const bytes = id.replaceAll('-', '').match(/../g) ?? [];
  const text = bytes.map((byte) => String.fromCodePoint(Number.parseInt(byte, 16))).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

interface ChoiceOptions {
  readonly title: string;
  readonly chosen: string;
  readonly versions: readonly Config[];
  readonly onChoose: (id: string) => void;
}

function VersionChoice({ title, chosen, versions, onChoose }: ChoiceOptions) {
  const ids = versions.map(({ id }) => id);
  const known = ids.includes(chosen) ? ids : [chosen, ...ids];
  return (
    <label>
      {title}
      <select value={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {known.map((id) => (
          <option key={id} value={id}>
            {shortId(id)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A version under its short id. */
const sideOf = ({ id, content }: Config) => ({ title: shortId(id), content });

interface RestoreOptions extends Pick<HistoryOptions, 'installation'> {
  readonly api: Api;
  readonly config: Config;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks with what would change. A change that is refused because another person changed the config has no effect. */
function Restore({ api, installation, config, onDone, onClose }: RestoreOptions) {
  // As it was when the question was asked: what is decided on is what was seen.
  const [seen] = useState(installation.config);
  const { id: installationId, integrationId } = installation;
  const restore = async (): Promise<void> => {
    await api.restoreConfig({ integrationId, installationId, configId: config.id, ifConfigId: seen.id });
    onDone();
  };
  return (
    <Confirm title="Put this version in force?" verb="Restore" onConfirm={restore} onClose={onClose}>
      <p>
        Version <code>{shortId(config.id)}</code> of {inWords(config.createdBy)} becomes a new one, in force for the
        next write or search. What has been accepted keeps its config.
      </p>
      <Differences from={sideOf(seen)} to={sideOf(config)} />
    </Confirm>
  );
}
