import { fieldDefaultValue, pluralize, type FieldMetadata, type FieldSettings } from '@sluice/types';
import { useId, useRef, useState } from 'preact/hooks';
import { useTyped } from '../use-typed';
import {
  defaultOf,
  entryOf,
  fieldFault,
  fieldOfName,
  findField,
  mappedNames,
  meaningOf,
  membersOf,
  settingsOf,
  settingsPath,
  withName,
  type ObjectEditing,
} from './config-edit';
import { IssueText, type FieldIssue } from './field';

/** The fields of an object that have a default or are not always written, and a way to add one. */
export function ConfigSettings(options: ObjectEditing) {
  const { object, before, content, onChange } = options;
  const { name: objectName } = object;
  // A row stays while it is edited, also when nothing of it is set.
  const [added, setAdded] = useState<readonly string[]>([]);
  const settings = settingsOf(content, objectName);
  const rows = [...new Set([...Object.keys(settings), ...added])];
  if (object.write === undefined && rows.length === 0) return null;
  const set = (field: string, value: FieldSettings | undefined): void =>
    onChange(withName({ before, content, half: 'write', objectName }, 'selectedFieldSettings', field, value));
  const old = Object.keys(membersOf(entryOf(content, 'write', objectName)['selectedValueDefaults'])).length;
  return (
    <>
      <h3>Defaults, and when a field is written</h3>
      <p class="fine">
        A default is used when a write lacks the field. Every other field is written as it comes.
        {old === 0 ? '' : ` ${pluralize(old, 'default')} of the old form can be changed as JSON.`}
      </p>
      {rows.map((field) => (
        <SettingsRow
          key={field}
          {...options}
          field={field}
          settings={settings[field] ?? {}}
          onSet={(value) => {
            setAdded([...new Set([...added, field])]);
            set(field, Object.keys(value).length === 0 ? undefined : value);
          }}
          onRemove={() => {
            setAdded(added.filter((each) => each !== field));
            set(field, undefined);
          }}
        />
      ))}
      <AddField {...options} rows={rows} onAdd={(field) => setAdded([...added, field])} />
    </>
  );
}

interface RowOptions extends ObjectEditing {
  readonly field: string;
  readonly settings: FieldSettings;
  readonly onSet: (settings: FieldSettings) => void;
  readonly onRemove: () => void;
}

const whenCreated = [
  ['always', 'Always'],
  ['never', 'Never'],
] as const;
const whenUpdated = [...whenCreated, ['ifEmpty', 'If empty']] as const;

function SettingsRow({ field, settings, onSet, onRemove, ...options }: RowOptions) {
  const { object, before, content, fields, issues } = options;
  const path = settingsPath(object.name, field);
  const target = fieldOfName(object, content, field);
  const metadata = fields === undefined ? undefined : findField(fields, target);
  const stored = settingsOf(before, object.name)[field];
  // The innermost part that the row shows takes an issue.
  const issueOf = (part: string): FieldIssue | undefined =>
    issues.find(({ name }) => name === `${path}.${part}` || name.startsWith(`${path}.${part}.`));
  const ofRow = issues.find(({ name }) => name === path);
  const issueId = useId();
  const choose = (part: 'writeOnCreate' | 'writeOnUpdate', value: string): void => {
    const { [part]: _old, ...others } = settings;
    const isDefault = value === 'always' && stored?.[part] === undefined;
    onSet(isDefault ? others : { ...others, [part]: value });
  };
  const setDefault = (text: string): void => {
    const { default: _old, ...others } = settings;
    const value = defaultOf(text, metadata);
    onSet(value === undefined ? others : { ...others, default: value });
  };
  const now = settings.default === undefined ? undefined : fieldDefaultValue(settings.default);
  return (
    <div
      class="settings-row"
      role="group"
      aria-label={field}
      aria-describedby={ofRow === undefined ? undefined : issueId}
    >
      <p>
        <b>{field}</b>{' '}
        <span class="fine">
          {target === field ? '' : `${target} · `}
          {metadata === undefined ? '' : meaningOf(metadata)}
          {/* A row of a field that says nothing is not in the config. */}
          {stored === undefined && Object.keys(settings).length === 0 ? ' · Set something, or it is not saved' : ''}
        </span>
        <IssueText id={issueId} title={field} issue={ofRow} />
      </p>
      <DefaultInput
        path={`${path}.default`}
        metadata={metadata}
        value={now === undefined ? '' : String(now)}
        issue={issueOf('default')}
        onSet={setDefault}
      />
      <When
        title="On create"
        choices={whenCreated}
        value={settings.writeOnCreate ?? 'always'}
        issue={issueOf('writeOnCreate')}
        onChoose={(value) => choose('writeOnCreate', value)}
      />
      <When
        title="On update"
        choices={whenUpdated}
        value={settings.writeOnUpdate ?? 'always'}
        issue={issueOf('writeOnUpdate')}
        onChoose={(value) => choose('writeOnUpdate', value)}
      />
      <button type="button" class="link" aria-label={`Remove ${field}`} onClick={onRemove}>
        Remove
      </button>
    </div>
  );
}

interface DefaultOptions {
  readonly path: string;
  readonly metadata: FieldMetadata | undefined;
  readonly value: string;
  readonly issue: FieldIssue | undefined;
  readonly onSet: (text: string) => void;
}

/** A choice where the account has one, else a text. */
function DefaultInput({ path, metadata, value, issue, onSet }: DefaultOptions) {
  const issueId = useId();
  const typed = useTyped(value, onSet);
  const offered =
    metadata?.valueType === 'boolean'
      ? ['true', 'false'].map((each) => ({ value: each, displayValue: each }))
      : metadata?.valueType === 'singleSelect'
        ? metadata.values
        : undefined;
  const shared = {
    name: path,
    'aria-invalid': issue !== undefined,
    'aria-describedby': issue === undefined ? undefined : issueId,
  } as const;
  return (
    <label>
      <span>Default (optional)</span>
      {offered === undefined || offered.length === 0 ? (
        <input type="text" spellcheck={false} autocomplete="off" placeholder="none" {...shared} {...typed} />
      ) : (
        <select {...shared} value={value} onChange={({ currentTarget }) => onSet(currentTarget.value)}>
          <option value="">none</option>
          {value === '' || offered.some((each) => each.value === value) ? null : <option value={value}>{value}</option>}
          {offered.map((each) => (
            <option key={each.value} value={each.value}>
              {each.displayValue}
            </option>
          ))}
        </select>
      )}
      <IssueText id={issueId} title="Default" issue={issue} />
    </label>
  );
}

interface WhenOptions {
  readonly title: string;
  readonly choices: readonly (readonly [string, string])[];
  readonly value: string;
  readonly issue: FieldIssue | undefined;
  readonly onChoose: (value: string) => void;
}

function When({ title, choices, value, issue, onChoose }: WhenOptions) {
  const issueId = useId();
  return (
    <label>
      <span>{title}</span>
      <select
        value={value}
        aria-invalid={issue !== undefined}
        aria-describedby={issue === undefined ? undefined : issueId}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {choices.map(([each, meaning]) => (
          <option key={each} value={each}>
            {meaning}
          </option>
        ))}
      </select>
      <IssueText id={issueId} title={title} issue={issue} />
    </label>
  );
}

interface AddOptions extends ObjectEditing {
  readonly rows: readonly string[];
  readonly onAdd: (field: string) => void;
}

function AddField({ object, content, fields, lists, rows, onAdd }: AddOptions) {
  const input = useRef<HTMLInputElement>(null);
  const [issue, setIssue] = useState<FieldIssue>();
  const issueId = useId();
  const name = `add ${object.name}`;
  const faultOf = (field: string): string | undefined => {
    if (field === '') return 'is required';
    if (rows.includes(field)) return `cannot be ${field}: it is there already`;
    const isMapped = mappedNames(object, content).some((each) => each.name === field);
    if (fields === undefined || isMapped) return undefined;
    const fault = fieldFault({ fields, name: field, objectName: object.name, isWritten: true });
    return fault === undefined ? undefined : `cannot be ${field}: it ${fault}`;
  };
  const add = (): void => {
    const field = input.current?.value.trim() ?? '';
    const detail = faultOf(field);
    if (detail !== undefined) return setIssue({ name, detail, remedy: 'Choose one of the list.' });
    setIssue(undefined);
    if (input.current !== null) input.current.value = '';
    onAdd(field);
  };
  return (
    <div class="add-field">
      <label>
        <span>Field to add</span>
        <input
          ref={input}
          type="text"
          list={lists.writable}
          placeholder="Type a part of its name"
          spellcheck={false}
          autocomplete="off"
          aria-invalid={issue !== undefined}
          aria-describedby={issue === undefined ? undefined : issueId}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // It adds the field, and sends nothing yet.
            event.preventDefault();
            add();
          }}
        />
        <IssueText id={issueId} title="Field to add" issue={issue} />
      </label>
      <button type="button" onClick={add}>
        Add
      </button>
    </div>
  );
}
