import { pathOf, type ConnectChoices, type ConnectField, type ConnectMapping, type ConnectObject } from '@sluice/types';
import { useEffect, useId, useState } from 'preact/hooks';
import { isBesideFields, issueOf, type Refusal } from './api';
import { FieldSearch } from './field-search';
import { Labelled, Problem, Submit, TryAgain, type ScreenProps } from './parts';
import { plain, Say, texts } from './texts';
import { useSend } from './use-send';

/** So many are seen at once: above it a list is searched. */
const seenAtOnce = 12;

type Objects = NonNullable<NonNullable<ConnectChoices['content']['read']>['objects']>;
type Choice = NonNullable<Objects[string]>;

interface ChooseOptions extends ScreenProps {
  /** Where the integration is installed, and only looked at. */
  readonly onCancel?: () => void;
}

/** What the manifest leaves to the customer, with the fields of their own account. */
export function ChooseFields({ api, view: { state }, session, names, show, reload, onCancel }: ChooseOptions) {
  const [objects, setObjects] = useState<readonly ConnectObject[]>();
  const [chosen, setChosen] = useState<Objects>({});
  const loading = useSend(reload);
  const { refusal, isBusy, send } = useSend(reload);
  const load = (): Promise<void> =>
    loading.send(async () => {
      const found = await api.choices();
      setChosen(begin(found));
      setObjects(found);
    });
  useEffect(() => void load(), []);
  const submit = (content: ConnectChoices['content']): Promise<void> =>
    send(async () => show(await api.choose({ content, connectionId: session.connectionId })));
  const fieldNames = (objects ?? []).flatMap(namesOfFields);
  return (
    <>
      <p>
        <Say
          text={onCancel ? texts.chooseAgain : state === 'connected' ? texts.chooseRequired : texts.chooseOptional}
          names={names}
        />
      </p>
      {loading.refusal === undefined ? null : <TryAgain refusal={loading.refusal} again={load} />}
      {objects === undefined ? (
        <p class="soft" role="status">
          {loading.refusal === undefined ? texts.loadingFields : ''}
        </p>
      ) : (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void submit({ read: { objects: chosen } });
          }}
        >
          {objects.map((object) => (
            <ObjectFields
              key={object.objectName}
              object={object}
              choice={chosen[object.objectName] ?? {}}
              refusal={refusal}
              onChoose={(choice) => setChosen((before) => merge(before, object.objectName, choice))}
            />
          ))}
          {refusal === undefined || isBesideFields(refusal, fieldNames) ? null : <Problem refusal={refusal} />}
          <p class="actions">
            <Submit text={state === 'connected' ? texts.finish : texts.save} names={names} isBusy={isBusy} />
            {state === 'installed' ? (
              <button type="button" disabled={isBusy} onClick={() => void submit({})}>
                {texts.skip}
              </button>
            ) : null}
            {onCancel === undefined ? null : (
              <button type="button" onClick={onCancel}>
                {texts.cancel}
              </button>
            )}
          </p>
        </form>
      )}
    </>
  );
}

/** What the form holds from the start: the mappings there are, and those that are proposed. Of optional fields it holds what the customer changes. */
const begin = (objects: readonly ConnectObject[]): Objects =>
  Object.fromEntries(
    objects.map(({ objectName, mappings }) => [
      objectName,
      {
        selectedFieldMappings: Object.fromEntries(
          mappings.flatMap(({ mapToName, field }) => (field === undefined ? [] : [[mapToName, field]])),
        ),
      },
    ]),
  );

function merge(before: Objects, objectName: string, { selectedFields, selectedFieldMappings }: Choice): Objects {
  const { [objectName]: choice } = before;
  return {
    ...before,
    [objectName]: {
      selectedFields: { ...choice?.selectedFields, ...selectedFields },
      selectedFieldMappings: { ...choice?.selectedFieldMappings, ...selectedFieldMappings },
    },
  };
}

const pathOfMapping = (objectName: string, mapToName: string): string =>
  pathOf(`${pathOf('content.read.objects', objectName)}.selectedFieldMappings`, mapToName);

const namesOfFields = ({ objectName, mappings }: ConnectObject): string[] =>
  mappings.map(({ mapToName }) => pathOfMapping(objectName, mapToName));

interface ObjectOptions {
  readonly object: ConnectObject;
  readonly choice: Choice;
  readonly refusal: Refusal | undefined;
  readonly onChoose: (choice: Choice) => void;
}

function ObjectFields({ object, choice, refusal, onChoose }: ObjectOptions) {
  const { objectName, displayName, mappings, optionalFields, fields, error } = object;
  const names = { object: displayName };
  return (
    <>
      {error === undefined ? null : (
        <p class="problem">
          <Say text={texts.fieldsUnknown} names={{ ...names, reason: error }} />
        </p>
      )}
      {mappings.length === 0 ? null : (
        <fieldset>
          <legend>
            <Say text={texts.mappings} names={names} />
          </legend>
          {mappings.map((mapping) => (
            <Mapping
              key={mapping.mapToName}
              mapping={mapping}
              fields={fields}
              value={choice.selectedFieldMappings?.[mapping.mapToName] ?? ''}
              issue={issueOf(refusal, pathOfMapping(objectName, mapping.mapToName))}
              onChoose={(field) => onChoose({ selectedFieldMappings: { [mapping.mapToName]: field } })}
            />
          ))}
        </fieldset>
      )}
      {optionalFields.length === 0 ? null : (
        <OptionalFields
          fields={optionalFields}
          object={displayName}
          isChosen={({ name, isChosen }) => choice.selectedFields?.[name] ?? isChosen}
          onChoose={(name, isChosen) => onChoose({ selectedFields: { [name]: isChosen } })}
        />
      )}
    </>
  );
}

interface MappingOptions {
  readonly mapping: ConnectMapping;
  readonly fields: ConnectObject['fields'];
  readonly value: string;
  readonly issue: ReturnType<typeof issueOf>;
  readonly onChoose: (field: string) => void;
}

function Mapping({ mapping, fields, value, issue, onChoose }: MappingOptions) {
  const { displayName, prompt, isRequired } = mapping;
  return (
    <Labelled title={displayName} hint={prompt} isOptional={!isRequired} issue={issue}>
      {(field) =>
        fields.length === 0 || fields.length > seenAtOnce ? (
          <FieldSearch field={field} fields={fields} value={value} onChoose={onChoose} />
        ) : (
          <select {...field} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
            <option value="">{isRequired ? texts.chooseField : texts.noField}</option>
            {fields.map(({ fieldName, displayName: shown }) => (
              <option key={fieldName} value={fieldName}>
                {shown}
              </option>
            ))}
          </select>
        )
      }
    </Labelled>
  );
}

interface OptionalOptions {
  readonly fields: readonly ConnectField[];
  /** Shown name of the object. */
  readonly object: string;
  readonly isChosen: (field: ConnectField) => boolean;
  readonly onChoose: (name: string, isChosen: boolean) => void;
}

function OptionalFields({ fields, object, isChosen, onChoose }: OptionalOptions) {
  const id = useId();
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = fields.filter(({ name, displayName }) => `${displayName} ${name}`.toLowerCase().includes(wanted));
  return (
    <fieldset>
      <legend>
        <Say text={texts.optionalFields} names={{ object }} />
      </legend>
      {fields.length <= seenAtOnce ? null : (
        <input
          type="search"
          aria-label={plain(texts.searchFields, { object })}
          placeholder={plain(texts.typeToSearch, { count: fields.length })}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <div class="checks">
        {found.map((field) => (
          <label key={field.name} for={`${id}-${field.name}`}>
            <input
              type="checkbox"
              id={`${id}-${field.name}`}
              checked={isChosen(field)}
              onChange={({ currentTarget }) => onChoose(field.name, currentTarget.checked)}
            />
            <bdi>{field.displayName}</bdi>
          </label>
        ))}
        {found.length === 0 ? <p class="soft">{texts.noSuchField}</p> : null}
      </div>
    </fieldset>
  );
}
