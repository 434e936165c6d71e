import { pluralize, type ConfigContent, type FieldMetadata } from '@sluice/types';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { useLoad } from '../use-load';
import { useTyped } from '../use-typed';
import {
  accountFields,
  entryOf,
  fieldFault,
  findField,
  isMappingWritten,
  isOfObject,
  mappedNames,
  mappingPath,
  meaningOf,
  membersOf,
  settingsOf,
  withMember,
  withName,
  type AccountFields,
  type MappedName,
  type ObjectEditing,
  type ObjectOptions,
} from './config-edit';
import { ConfigSettings } from './config-settings';
import { IssueText, type FieldIssue } from './field';
import { Problem } from './problem';
import { Skeleton } from './skeleton';

/** One object: what is searched and written of it. The account is asked for its fields when it is opened. */
export function ConfigObject(options: ObjectOptions & { readonly isFirst: boolean }) {
  const { object, content, issues, isFirst } = options;
  const [isOpened, setOpened] = useState(isFirst);
  const isOpen = isOpened || issues.some((issue) => isOfObject(issue, object.name));
  const mapped = mappedNames(object, content);
  const chosen = membersOf(entryOf(content, 'read', object.name)['selectedFieldMappings']);
  const done = mapped.filter(({ name, ofManifest }) => (chosen[name] ?? ofManifest ?? '') !== '');
  const count = Object.keys(settingsOf(content, object.name)).length;
  const facts = [
    mapped.length === 0 ? '' : `${done.length} of ${pluralize(mapped.length, 'name')} mapped`,
    count === 0 ? '' : `${pluralize(count, 'field')} with settings`,
    object.read === undefined && object.write === undefined ? 'not in the manifest' : '',
  ];
  const title = object.read?.mapToDisplayName ?? object.read?.mapToName ?? object.name;
  return (
    <details class="panel config-object" open={isOpen} onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
      <summary>
        <h2>{title}</h2>
        <span class="fine">{[title === object.name ? '' : object.name, ...facts].filter(Boolean).join(' · ')}</span>
      </summary>
      {isOpen ? <ObjectFields {...options} /> : null}
    </details>
  );
}

function ObjectFields(options: ObjectOptions) {
  const { api, integration, installation, object, onFields } = options;
  const { value, error, reload } = useLoad(`fields ${object.name}`, async (signal) => {
    const groupRef = installation.group?.groupRef ?? '';
    const query = { integrationId: integration.id, objectName: object.name, groupRef };
    return accountFields(await api.getObjectMetadataForInstallation(query, { signal }));
  });
  const listId = useId();
  useEffect(() => {
    if (value !== undefined) onFields(object.name, value);
  }, [value]);
  if (value === undefined && error === undefined) return <Skeleton of="text" rows={6} />;
  const lists = { all: `${listId}-all`, writable: `${listId}-writable` };
  const body = { ...options, fields: value, lists, isWritten: isMappingWritten(object, options.content) };
  return (
    <>
      {error === undefined ? null : (
        <>
          <Problem error={error} title="The fields of the account could not be read" />
          <p>
            <button type="button" onClick={reload}>
              Ask again
            </button>{' '}
            <span class="fine">Names of fields can be typed; they are checked when you save.</span>
          </p>
        </>
      )}
      <FieldLists fields={value} {...lists}>
        <Switches {...body} />
        <Mapping {...body} />
        <ConfigSettings {...body} />
      </FieldLists>
    </>
  );
}

/** Fields that a list offers at once: an account may have thousands. */
const offeredMax = 100;

interface ListsOptions {
  readonly fields: AccountFields | undefined;
  readonly all: string;
  readonly writable: string;
  /** Whose fields have the lists. */
  readonly children: ComponentChildren;
}

/** Lists of the account's fields, once for an object: they follow what is typed in the field that is being edited. */
function FieldLists({ fields, all, writable, children }: ListsOptions) {
  const [typed, setTyped] = useState('');
  const sorted = useMemo(
    () => [...(fields?.values() ?? [])].toSorted((one, other) => one.fieldName.localeCompare(other.fieldName)),
    [fields],
  );
  const follow = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement && target.list !== null) setTyped(target.value.trim());
  };
  return (
    <div onFocusIn={follow} onInput={follow}>
      {sorted.length > offeredMax ? (
        <p class="fine">
          {sorted.length.toLocaleString('en')} fields at this account. A list offers {offeredMax}: type a part of the
          name or label.
        </p>
      ) : null}
      <FieldList id={all} fields={offered(sorted, typed)} />
      <FieldList
        id={writable}
        fields={offered(
          sorted.filter(({ readOnly }) => readOnly !== true),
          typed,
        )}
      />
      {children}
    </div>
  );
}

function FieldList({ id, fields }: { readonly id: string; readonly fields: readonly FieldMetadata[] }) {
  return (
    <datalist id={id}>
      {fields.map((field) => (
        <option key={field.fieldName} value={field.fieldName} label={meaningOf(field)} />
      ))}
    </datalist>
  );
}

/** Those whose name or label has the text, the ones that begin with it first. */
function offered(fields: readonly FieldMetadata[], text: string): readonly FieldMetadata[] {
  const typed = text.toLowerCase();
  const textsOf = ({ fieldName, displayName }: FieldMetadata): string[] =>
    [fieldName, displayName].map((each) => each.toLowerCase());
  const found = fields.filter((field) => textsOf(field).some((each) => each.includes(typed)));
  const begins = (field: FieldMetadata): boolean => textsOf(field).some((each) => each.startsWith(typed));
  return [...found.filter(begins), ...found.filter((field) => !begins(field))].slice(0, offeredMax);
}

function Switches({ object, before, content, onChange }: ObjectEditing) {
  const { name: objectName, read, write } = object;
  const [ofRead, ofWrite] = [entryOf(content, 'read', objectName), entryOf(content, 'write', objectName)];
  const edit = (half: 'read' | 'write', member: string, value: unknown): void =>
    onChange(withMember({ before, content, half, objectName }, member, value));
  const deletion = membersOf(ofWrite['deletionSettings'])['enabled'] === true;
  return (
    <div class="switches">
      {read === undefined ? null : (
        <Switch
          title="Can be searched"
          isOn={read.enabled === 'always' || ofRead['disabled'] !== true}
          isFixed={read.enabled === 'always'}
          onSet={(isOn) => edit('read', 'disabled', isOn ? undefined : true)}
        />
      )}
      {write === undefined ? null : (
        <>
          <Switch
            title="Records may be deleted"
            isOn={deletion}
            onSet={(enabled) =>
              edit('write', 'deletionSettings', enabled || wasSet(before, objectName) ? { enabled } : undefined)
            }
          />
          <Switch
            title="Writes use the mapping"
            isOn={write.inheritMapping === true || ofWrite['inheritMapping'] === true}
            isFixed={write.inheritMapping === true}
            onSet={(isOn) => edit('write', 'inheritMapping', isOn ? true : undefined)}
          />
        </>
      )}
    </div>
  );
}

const wasSet = (before: ConfigContent, objectName: string): boolean =>
  Object.hasOwn(entryOf(before, 'write', objectName), 'deletionSettings');

interface SwitchOptions {
  readonly title: string;
  readonly isOn: boolean;
  /** The manifest decides it. */
  readonly isFixed?: boolean;
  readonly onSet: (isOn: boolean) => void;
}

function Switch({ title, isOn, isFixed = false, onSet }: SwitchOptions) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn}
        disabled={isFixed}
        onChange={({ currentTarget }) => onSet(currentTarget.checked)}
      />
      {title}
      {isFixed ? <span class="fine">by the manifest</span> : null}
    </label>
  );
}

function Mapping(options: ObjectEditing) {
  const { object, content, isWritten } = options;
  const names = mappedNames(object, content);
  if (object.read === undefined && names.length === 0) return null;
  return (
    <>
      <h3>Mapping</h3>
      <p class="fine">
        {names.length === 0
          ? 'The manifest has no name whose field the customer chooses.'
          : isWritten
            ? 'For each name of yours, the field of the account that holds it. Searches and writes use it.'
            : 'For each name of yours, the field of the account that holds it. Searches use it, writes do not.'}
      </p>
      {names.map((mapped) => (
        <MappingRow key={mapped.name} {...options} mapped={mapped} />
      ))}
    </>
  );
}

function MappingRow({ mapped, ...options }: ObjectEditing & { readonly mapped: MappedName }) {
  const { object, before, content, fields, isWritten, lists, issues, onChange } = options;
  const { name, title, prompt, ofManifest, proposed, isRequired } = mapped;
  const path = mappingPath(object.name, name);
  const stored = membersOf(entryOf(content, 'read', object.name)['selectedFieldMappings'])[name];
  const chosen = typeof stored === 'string' ? stored : '';
  const choose = (field: string): void =>
    onChange(
      withName(
        { before, content, half: 'read', objectName: object.name },
        'selectedFieldMappings',
        name,
        field === '' ? undefined : field,
      ),
    );
  const shown = chosen === '' ? ofManifest : chosen;
  const field = fields === undefined || shown === undefined ? undefined : findField(fields, shown);
  const fault =
    fields === undefined || shown === undefined
      ? undefined
      : fieldFault({ fields, name: shown, objectName: object.name, isWritten });
  const issue = issues.find((one) => one.name === path);
  return (
    <div class="config-row">
      <FieldInput
        path={path}
        title={title}
        list={isWritten ? lists.writable : lists.all}
        value={chosen}
        placeholder={ofManifest ?? 'Type a part of its name'}
        issue={issue}
        note={`${title === name ? '' : `${name} `}${isRequired ? '(required)' : '(optional)'}`}
        onChoose={choose}
      />
      <p class="fine">
        {prompt === undefined ? '' : `${prompt} `}
        {field !== undefined ? meaningOf(field) : isRequired && shown === undefined ? 'Nothing is mapped yet.' : ''}
        {/* What was stored before is shown, and refused only when it is changed. */}
        {fault === undefined || issue !== undefined ? null : (
          <span class="unsure-text">
            {' '}
            {shown} {fault}.
          </span>
        )}
        {proposed === undefined || chosen !== '' ? null : (
          <button type="button" class="link" onClick={() => choose(proposed)}>
            Use {proposed}
          </button>
        )}
      </p>
    </div>
  );
}

interface InputOptions {
  /** In the config, as issues name it. */
  readonly path: string;
  readonly title: string;
  /** Shown after the title, in soft text. */
  readonly note?: string;
  readonly list: string;
  readonly value: string;
  readonly placeholder: string;
  readonly issue: FieldIssue | undefined;
  readonly onChoose: (field: string) => void;
}

/** The name of a field, of a list that is searched while one types. */
function FieldInput({ path, title, note, list, value, placeholder, issue, onChoose }: InputOptions) {
  const issueId = useId();
  const typed = useTyped(value, (text) => onChoose(text.trim()));
  return (
    <label>
      <span>
        <b>{title}</b> {note}
      </span>
      <input
        type="text"
        name={path}
        list={list}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={issue !== undefined}
        aria-describedby={issue === undefined ? undefined : issueId}
        {...typed}
      />
      <IssueText id={issueId} title={title} issue={issue} />
    </label>
  );
}
