import {
  applyJsonPatch,
  configUpdateOf,
  diffJson,
  type Config,
  type ConfigContent,
  type Installation,
  type Integration,
} from '@sluice/types';
import { useEffect, useRef, useState } from 'preact/hooks';
import { noteAnswer, noteFailure } from '../network';
import type { Api } from '../session';
import { useLoad } from '../use-load';
import { Author } from './author';
import { ConfigChanges } from './config-changes';
import { formObjects, isBesideField, localIssues, type AccountFields } from './config-edit';
import { ConfigObject } from './config-form';
import { ConfigJson, IssueList } from './config-json';
import { Empty } from './empty';
import { issuesOf, type FieldIssue } from './field';
import { Moment } from './moment';
import { Problem } from './problem';

/** Of the paths in what the service refuses. */
const root = 'installation.config.content.';

/** What was typed and not saved when the page was left, by installation: it is there when one comes back. */
const drafts = new Map<string, Draft>();

interface Draft {
  /** The config on which the editing began. */
  readonly base: Config;
  readonly content: ConfigContent;
}

interface EditorOptions {
  readonly api: Api;
  readonly installation: Installation;
  readonly integration: Integration;
  readonly onReload: () => void;
}

/** The config of an installation in a form or as JSON, what is changed in it, and the way to save that. */
export function ConfigEditor(options: EditorOptions) {
  const { api, installation, integration } = options;
  const [isJson, setJson] = useState(false);
  const [jsonFault, setJsonFault] = useState<string>();
  const [fieldsOf, setFieldsOf] = useState<Readonly<Record<string, AccountFields>>>({});
  const form = useRef<HTMLFormElement>(null);
  const editing = useDraft(options, fieldsOf);
  const { base, content, objects, issues, latest, isSuperseded, error } = editing;
  const begin = (next: Draft): void => {
    setJsonFault(undefined);
    editing.begin(next);
  };
  const discard = (): void => begin({ base: latest, content: latest.content });
  const keep = (): void => begin({ base: latest, content: onTop(latest.content, base.content, content) });
  const submit = (event: Event): void => {
    event.preventDefault();
    if (jsonFault === undefined && editing.local.length === 0) return void editing.save();
    editing.say('Nothing was sent: see the field.');
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  };
  return (
    <form class="config-editor" ref={form} noValidate onSubmit={submit}>
      {isSuperseded ? (
        <Superseded
          api={api}
          installation={installation}
          base={base}
          isAsked={error !== undefined}
          onDrop={discard}
          onKeep={keep}
        />
      ) : null}
      <HowToEdit isJson={isJson} isFormOff={jsonFault !== undefined || editing.isNoConfig} onChoose={setJson} />
      {isJson ? (
        <ConfigJson
          key={base.id}
          content={content}
          issues={issues}
          fault={jsonFault}
          onFault={setJsonFault}
          onChange={editing.change}
        />
      ) : objects.length === 0 ? (
        <Empty title="No object yet">The manifest of {integration.name} declares none, and the config has none.</Empty>
      ) : (
        objects.map((object, at) => (
          <ConfigObject
            // What is typed in a field is its own until it is left: with another config they begin anew.
            key={`${base.id} ${object.name}`}
            api={api}
            integration={integration}
            installation={installation}
            object={object}
            isFirst={at === 0}
            before={base.content}
            content={content}
            issues={issues}
            onChange={editing.change}
            onFields={(name, fields) => setFieldsOf((all) => ({ ...all, [name]: fields }))}
          />
        ))
      )}
      <Outcome
        {...editing}
        unplaced={isJson ? [] : issues.filter((issue) => !isBesideField(issue, objects, content))}
        isFaulty={jsonFault !== undefined}
        onDiscard={discard}
      />
    </form>
  );
}

interface HowOptions {
  readonly isJson: boolean;
  /** The form cannot show what is typed as JSON. */
  readonly isFormOff: boolean;
  readonly onChoose: (isJson: boolean) => void;
}

function HowToEdit({ isJson, isFormOff, onChoose }: HowOptions) {
  return (
    <div class="states" role="group" aria-label="How to edit">
      <button type="button" aria-pressed={!isJson} disabled={isFormOff} onClick={() => onChoose(false)}>
        Form
      </button>
      <button type="button" aria-pressed={isJson} onClick={() => onChoose(true)}>
        JSON
      </button>
    </div>
  );
}

type Editing = ReturnType<typeof useDraft>;

interface OutcomeOptions extends Editing {
  /** Issues of what the form has no field for. */
  readonly unplaced: readonly FieldIssue[];
  /** What is typed as JSON cannot be read. */
  readonly isFaulty: boolean;
  readonly onDiscard: () => void;
}

/** What would be saved, and what came of it. */
function Outcome({ unplaced, isFaulty, onDiscard, ...editing }: OutcomeOptions) {
  const { base, content, error, said, isBusy, isChanged, isSuperseded } = editing;
  return (
    <section class="panel">
      <h2>What you change</h2>
      <ConfigChanges
        before={base.content}
        after={content}
        none={isChanged ? 'Nothing that has an effect.' : 'Nothing yet.'}
      />
      {unplaced.length === 0 ? null : <IssueList issues={unplaced} />}
      {error === undefined ? null : <Problem error={error} title="The config was not saved" />}
      <div class="actions">
        <button type="button" disabled={!isChanged && !isFaulty} onClick={onDiscard}>
          Discard
        </button>
        <button type="submit" class="primary" disabled={isBusy || isSuperseded || (!isChanged && !isFaulty)}>
          Save
        </button>
      </div>
      <p class="fine" role="status">
        {said}
      </p>
    </section>
  );
}

/** What is edited on which config, what is wrong with it, and what the service said of it. */
function useDraft(options: EditorOptions, fieldsOf: Readonly<Record<string, AccountFields>>) {
  const { api, installation, integration, onReload } = options;
  const { id: installationId, integrationId, config: inForce } = installation;
  const [draft, setDraft] = useState<Draft>(
    () => drafts.get(installationId) ?? { base: inForce, content: inForce.content },
  );
  const [refused, setRefused] = useState<readonly FieldIssue[]>([]);
  const [error, setError] = useState<unknown>();
  const [said, say] = useState('');
  const [isBusy, setBusy] = useState(false);
  const { base, content } = draft;
  const isChanged = diffJson(base.content, content).length > 0;
  useKept(installationId, draft, isChanged);

  const begin = (next: Draft): void => {
    setDraft(next);
    setRefused([]);
    setError(undefined);
  };
  const change = (next: ConfigContent): void => {
    setDraft({ base, content: next });
    setRefused([]);
    say('');
  };
  // An answer may be older than what was saved.
  const isNewer = inForce.id !== base.id && inForce.createTime >= base.createTime;
  const latest = isNewer ? inForce : base;
  const isOwn = isChanged && diffJson(latest.content, content).length > 0;
  // Where nothing of one's own is lost, what another person wrote is shown at once; so is what was saved and not answered.
  useEffect(() => {
    if (isNewer && !isOwn) begin({ base: inForce, content: inForce.content });
  }, [latest.id, isOwn]);

  const objects = formObjects(integration, content);
  const update = configUpdateOf(base.content, content);
  const local = [
    ...update.issues.map(({ name, detail }) => belowContent({ name, detail, remedy: 'Nothing was sent.' })),
    ...localIssues({ before: base.content, content, objects, fieldsOf }),
  ];
  const save = async (): Promise<void> => {
    setError(undefined);
    say('');
    setBusy(true);
    try {
      const body = { updateMask: [...update.updateMask], installation: { config: { content: update.content } } };
      const { config } = await api.updateInstallation({ integrationId, installationId, ifConfigId: base.id, body });
      noteAnswer();
      begin({ base: config, content: config.content });
      say('Saved. It is in force for the next write or search.');
    } catch (caught) {
      noteFailure(caught);
      const found = issuesOf(caught).map(belowContent);
      setRefused(found);
      if (found.length === 0) setError(caught);
    } finally {
      setBusy(false);
      // Another config may be in force: it is shown above.
      onReload();
    }
  };
  const issues = [...local, ...refused];
  const isNoConfig = update.issues.length > 0;
  const isSuperseded = isNewer && isOwn;
  const state = { base, content, latest, isChanged, isSuperseded, isNoConfig, isBusy };
  return { ...state, objects, local, issues, error, said, say, begin, change, save };
}

/** By its path below the content. */
const belowContent = (issue: FieldIssue): FieldIssue => ({ ...issue, name: issue.name.replace(root, '') });

/** Keeps a draft while the page is left, and asks before the browser drops it. */
function useKept(installationId: string, draft: Draft, isChanged: boolean): void {
  useEffect(() => {
    if (isChanged) drafts.set(installationId, draft);
    else drafts.delete(installationId);
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    if (isChanged) addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [draft, isChanged]);
}

/** One's own changes on what another person wrote. One that does not fit there any more is left out. */
function onTop(theirs: ConfigContent, before: ConfigContent, mine: ConfigContent): ConfigContent {
  return diffJson(before, mine).reduce(
    (content, change) => applyJsonPatch(content, [change]).document ?? content,
    theirs,
  );
}

interface SupersededOptions {
  readonly api: Api;
  /** With the config that is in force. */
  readonly installation: Installation;
  /** The config on which the editing began. */
  readonly base: Config;
  /** One tried to save: then it is brought into sight. */
  readonly isAsked: boolean;
  readonly onDrop: () => void;
  readonly onKeep: () => void;
}

/** Says that another person changed the config meanwhile, and what. Until one chooses nothing can be saved over it. */
function Superseded({ api, installation, base, isAsked, onDrop, onKeep }: SupersededOptions) {
  const { id: installationId, integrationId, config } = installation;
  const { value } = useLoad(config.id, (signal) =>
    api.getConfig({ integrationId, installationId, configId: config.id }, { signal }),
  );
  const notice = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isAsked) notice.current?.focus();
  }, [isAsked, config.id]);
  return (
    <section class="attention superseded" role="alert" tabIndex={-1} ref={notice}>
      <p>
        <strong>
          <Author {...config} {...value} /> changed this config
        </strong>{' '}
        <Moment of={config.createTime} />, after you began. Nothing of yours was saved, and nothing of theirs is
        overwritten:
      </p>
      <ConfigChanges before={base.content} after={config.content} none="It has the same content as before." />
      <div class="actions">
        <button type="button" onClick={onDrop}>
          Drop my changes
        </button>
        <button type="button" onClick={onKeep}>
          Put my changes on theirs
        </button>
      </div>
    </section>
  );
}
