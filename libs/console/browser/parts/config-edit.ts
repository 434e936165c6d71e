import {
  fieldSteps,
  pathOf,
  withObject,
  type ConfigContent,
  type FieldMetadata,
  type FieldSettings,
  type Installation,
  type Integration,
  type ManifestReadObject,
  type ManifestWriteObject,
  type ObjectMetadata,
} from '@sluice/types';
import type { Api } from '../session';
import type { FieldIssue } from './field';

/** An object that the form shows: of the manifest, of the config, or of both. */
export interface FormObject {
  /** Its key in the config. */
  readonly name: string;
  readonly read?: ManifestReadObject;
  readonly write?: ManifestWriteObject;
}

/** A name of the builder's for which the customer's account has a field. */
export interface MappedName {
  readonly name: string;
  readonly title: string;
  readonly prompt?: string | undefined;
  /** The field that holds while none is chosen. */
  readonly ofManifest?: string | undefined;
  readonly proposed?: string | undefined;
  readonly isRequired: boolean;
}

/** The fields of one object as the account has them, by name in lower case: names are written in any case. */
export type AccountFields = ReadonlyMap<string, FieldMetadata>;
/** A config that is being edited, with what is wrong with it. */
interface Editing {
  readonly api: Api;
  readonly integration: Integration;
  readonly installation: Installation;
  /** What it was when the editing began. */
  readonly before: ConfigContent;
  readonly content: ConfigContent;
  /** By the paths below the content. */
  readonly issues: readonly FieldIssue[];
  readonly onChange: (content: ConfigContent) => void;
  readonly onFields: (objectName: string, fields: AccountFields) => void;
}

export interface ObjectOptions extends Editing {
  readonly object: FormObject;
}

/** One object that is being edited. */
export interface ObjectEditing extends ObjectOptions {
  /** Undefined: the account could not be asked. */
  readonly fields: AccountFields | undefined;
  readonly isWritten: boolean;
  /** Ids of the lists of all fields, and of those that can be written. */
  readonly lists: { readonly all: string; readonly writable: string };
}

type Members = Readonly<Record<string, unknown>>;
type Half = 'read' | 'write';

/** Objects of the manifest, then those that only the config has. */
export function formObjects({ latestRevision }: Integration, content: ConfigContent): FormObject[] {
  const { read, write } = latestRevision.content;
  const objects = new Map<string, FormObject>();
  const add = (name: string, more: Partial<FormObject>): void =>
    void objects.set(name, { ...objects.get(name), name, ...more });
  for (const object of read?.objects ?? []) add(object.objectName, { read: object });
  for (const object of write?.objects ?? []) add(object.objectName, { write: object });
  for (const half of ['read', 'write'] as const)
    for (const name of Object.keys(membersOf(content[half]?.objects))) if (!objects.has(name)) add(name, {});
  return [...objects.values()];
}

/** What the config says of one object; empty where that is nothing, or no object. */
export const entryOf = (content: ConfigContent, half: Half, name: string): Members =>
  membersOf(membersOf(content[half]?.objects)[name]);

/** A person may have typed anything as JSON. */
export const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};

/** Of the manifest, then what the config has besides. */
export function mappedNames({ name, read }: FormObject, content: ConfigContent): MappedName[] {
  const names = new Map<string, MappedName>();
  const { requiredFields = [], optionalFields = [] } = read ?? {};
  for (const field of [...requiredFields, ...optionalFields]) {
    const { mapToName, mapToDisplayName, fieldName, prompt, default: proposed } = field;
    if (mapToName === undefined || names.has(mapToName)) continue;
    const isRequired = fieldName === undefined && requiredFields.includes(field);
    const title = mapToDisplayName ?? mapToName;
    names.set(mapToName, { name: mapToName, title, prompt, ofManifest: fieldName, proposed, isRequired });
  }
  const chosen = membersOf(entryOf(content, 'read', name)['selectedFieldMappings']);
  for (const each of Object.keys(chosen))
    if (!names.has(each)) names.set(each, { name: each, title: each, isRequired: false });
  return [...names.values()];
}

/** Whether writes of the object go to the fields that its mapping names. */
export const isMappingWritten = ({ name, write }: FormObject, content: ConfigContent): boolean =>
  write?.inheritMapping === true || entryOf(content, 'write', name)['inheritMapping'] === true;

export const accountFields = ({ fields }: ObjectMetadata): AccountFields =>
  new Map(Object.values(fields).map((field) => [field.fieldName.toLowerCase(), field]));

/** The field that a name means at the account; of a path into a field, that one. */
export function findField(fields: AccountFields, name: string): FieldMetadata | undefined {
  const [first = name] = fieldSteps(name);
  return fields.get(name.toLowerCase()) ?? fields.get(first.toLowerCase());
}

/** What the account says of a field: its label, its type, and whether it can be written. */
export function meaningOf({ displayName, valueType, isCustom, isRequired, readOnly }: FieldMetadata): string {
  const facts = [displayName, valueType, isCustom && 'custom', isRequired && 'required', readOnly && 'read only'];
  return facts.filter(Boolean).join(' · ');
}

interface FaultOptions {
  readonly fields: AccountFields;
  readonly name: string;
  readonly objectName: string;
  readonly isWritten: boolean;
}

/** Why a field cannot be chosen, as a sentence that continues its name. Of a path through a reference (`Account.Name`) the object says nothing. */
export function fieldFault({ fields, name, objectName, isWritten }: FaultOptions): string | undefined {
  const field = findField(fields, name);
  if (field === undefined)
    return fieldSteps(name)[0]?.includes('.') === true ? undefined : `is not a field of ${objectName} at this account`;
  return isWritten && field.readOnly === true ? 'is read only at the provider, and writes go to it' : undefined;
}

/** Where the service's issues name these. */
export const mappingPath = (object: string, name: string): string =>
  pathOf(`${pathOf('read.objects', object)}.selectedFieldMappings`, name);
export const settingsPath = (object: string, field: string): string =>
  pathOf(`${pathOf('write.objects', object)}.selectedFieldSettings`, field);

export const settingsOf = (content: ConfigContent, object: string): Readonly<Record<string, FieldSettings>> =>
  membersOf(entryOf(content, 'write', object)['selectedFieldSettings']) as Readonly<Record<string, FieldSettings>>;

/** Whether an issue is about something of this object. */
export const isOfObject = ({ name }: FieldIssue, object: string): boolean =>
  (['read', 'write'] as const).some((half) => isBelow(name, pathOf(`${half}.objects`, object)));

/** Whether the form has a field beside which the issue stands. */
export const isBesideField = ({ name }: FieldIssue, objects: readonly FormObject[], content: ConfigContent): boolean =>
  objects.some(
    (object) =>
      mappedNames(object, content).some((mapped) => name === mappingPath(object.name, mapped.name)) ||
      Object.keys(settingsOf(content, object.name)).some((field) => isBelow(name, settingsPath(object.name, field))),
  );

const isBelow = (name: string, path: string): boolean =>
  name === path || name.startsWith(`${path}.`) || name.startsWith(`${path}[`);

interface LocalOptions {
  readonly before: ConfigContent;
  readonly content: ConfigContent;
  readonly objects: readonly FormObject[];
  /** Of the objects that were opened. */
  readonly fieldsOf: Readonly<Record<string, AccountFields>>;
}

/** What the page refuses of what was changed. The service does not ask the account about fields of defaults. */
export function localIssues({ before, content, objects, fieldsOf }: LocalOptions): FieldIssue[] {
  return objects.flatMap((object) => {
    const fields = fieldsOf[object.name];
    if (fields === undefined) return [];
    const { name: objectName } = object;
    const mapped = mappedNames(object, content);
    const chosen = (of: ConfigContent): Members => membersOf(entryOf(of, 'read', objectName)['selectedFieldMappings']);
    const isWritten = isMappingWritten(object, content);
    const ofMappings = Object.entries(chosen(content)).flatMap(([name, field]) => {
      if (typeof field !== 'string' || field === '' || field === chosen(before)[name]) return [];
      const fault = fieldFault({ fields, name: field, objectName, isWritten });
      return fault === undefined ? [] : [issue(mappingPath(objectName, name), `cannot be ${field}: it ${fault}`)];
    });
    const stored = settingsOf(before, objectName);
    const ofSettings = Object.entries(settingsOf(content, objectName)).flatMap(([name, settings]) => {
      const path = settingsPath(objectName, name);
      const target = mapped.some((each) => each.name === name) ? undefined : name;
      const fault =
        target === undefined || Object.hasOwn(stored, name)
          ? undefined
          : fieldFault({ fields, name: target, objectName, isWritten: true });
      if (fault !== undefined) return [issue(path, fault)];
      const text = settings.default?.stringValue;
      const isNumber = findField(fields, fieldOfName(object, content, name))?.valueType === 'int';
      const isOld = text === stored[name]?.default?.stringValue;
      return isNumber && text !== undefined && !isOld ? [issue(`${path}.default`, 'must be a whole number', text)] : [];
    });
    return [...ofMappings, ...ofSettings];
  });
}

const issue = (name: string, detail: string, value?: string): FieldIssue => ({
  name,
  detail,
  value,
  remedy: 'Choose one of the list.',
});

/** The field behind a mapped name; any other name is the field itself. */
export function fieldOfName(object: FormObject, content: ConfigContent, name: string): string {
  const chosen = membersOf(entryOf(content, 'read', object.name)['selectedFieldMappings'])[name];
  if (typeof chosen === 'string' && chosen !== '') return chosen;
  return mappedNames(object, content).find((each) => each.name === name)?.ofManifest ?? name;
}

interface Edit {
  /** What is in force: what it lacks is not left behind empty. */
  readonly before: ConfigContent;
  readonly content: ConfigContent;
  readonly half: Half;
  readonly objectName: string;
}

/** The content with a member of an object's entry set; undefined takes it away. */
export function withMember(edit: Edit, member: string, value: unknown): ConfigContent {
  const { before, content, half, objectName } = edit;
  const stored: Members = { objectName, ...entryOf(content, half, objectName) };
  const { [member]: _old, ...others } = stored;
  const entry = value === undefined ? others : { ...others, [member]: value };
  const isLeft = Object.keys(entry).length === 1 && !Object.hasOwn(membersOf(before[half]?.objects), objectName);
  if (!isLeft) return withObject(content, { action: half, objectName }, entry);
  const { [objectName]: _entry, ...rest } = membersOf(content[half]?.objects);
  if (Object.keys(rest).length > 0 || before[half] !== undefined)
    return { ...content, [half]: { ...content[half], objects: rest } };
  const { [half]: _half, ...without } = content;
  return without;
}

/** The same for a name in a map of the entry. */
export function withName(edit: Edit, member: string, name: string, value: unknown): ConfigContent {
  const { [name]: _old, ...others } = membersOf(entryOf(edit.content, edit.half, edit.objectName)[member]);
  const map = value === undefined ? others : { ...others, [name]: value };
  const isKept = Object.keys(map).length > 0 || Object.hasOwn(entryOf(edit.before, edit.half, edit.objectName), member);
  return withMember(edit, member, isKept ? map : undefined);
}

/** A default as the config carries it: what is typed for a field of whole numbers or of yes and no is one. */
export function defaultOf(text: string, field: FieldMetadata | undefined): FieldSettings['default'] {
  if (text === '') return undefined;
  if (field?.valueType === 'boolean' && (text === 'true' || text === 'false')) return { booleanValue: text === 'true' };
  const isWhole = /^-?\d{1,15}$/.test(text);
  if (isWhole && (field?.valueType === 'int' || field?.valueType === 'float')) return { integerValue: Number(text) };
  return { stringValue: text };
}
