import { notFound, versionOver } from './errors';
import { isCustom, traitsOf, type FieldDefinition, type ObjectDefinition } from './field-definition';
import { isAuditField, objectDefinitions, visibleFields } from './objects';
import type { Action } from './org-data';
import { objectOf } from './single-records';

/** Versions that are served, that have collections, and the current one. Source: API End-of-Life Policy; docs/contributing/providers.md, B1. */
const SERVED = 41;
const OLDEST = 42;
const LATEST = 68;

/** The version of a path segment such as `v60.0`. @throws SalesforceError 404, and 410 for one that is over */
export function readVersion(segment: string): string {
  const [, version = ''] = /^v(\d{2})\.0$/.exec(segment) ?? [];
  if (version !== '' && Number(version) < SERVED) throw versionOver();
  if (Number(version) < OLDEST || Number(version) > LATEST) throw notFound();
  return `${version}.0`;
}

/** `GET /sobjects` -> every object, without fields. */
export const listObjects: Action = ({ version }) => ({
  status: 200,
  body: {
    encoding: 'UTF-8',
    maxBatchSize: 200,
    sobjects: objectDefinitions.map((object) => summary(object, version)),
  },
});

/** `GET /sobjects/{T}/describe`. */
export const describeObject: Action = (call) => {
  const object = objectOf(call);
  const isSettable = ({ name }: FieldDefinition) => call.auditFields && isAuditField(name);
  const fields = visibleFields(object).map((field) =>
    describeField(isSettable(field) ? { ...field, createable: true } : field),
  );
  return { status: 200, body: { ...summary(object, call.version), ...ofDescribe, fields } };
};

const all = (value: unknown, names: string) => Object.fromEntries(names.split(' ').map((name) => [name, value]));

/** What no object of the sandbox is, what describe adds to that, and what no field of it is or has. */
const ofObject = all(false, 'activateable custom customSetting deepCloneable deprecatedAndHidden isInterface');
const ofDescribe = {
  ...all([], 'actionOverrides childRelationships namedLayoutInfos recordTypeInfos supportedScopes'),
  ...all(true, 'compactLayoutable searchLayoutable'),
  ...all(false, 'hasSubtypes isSubtype listviewable lookupLayoutable mruEnabled'),
};
const ofField = {
  ...all(false, 'cascadeDelete caseSensitive dependentPicklist deprecatedAndHidden displayLocationInDecimal encrypted'),
  ...all(false, 'highScaleNumber htmlFormatted namePointing polymorphicForeignKey queryByDistance restrictedDelete'),
  ...all(false, 'searchPrefilterable writeRequiresMasterRead'),
  ...all(null, 'compoundFieldName extraTypeInfo filteredLookupInfo referenceTargetField'),
};

function summary({ name, label, labelPlural, keyPrefix, isWritable }: ObjectDefinition, version: string) {
  const base = `/services/data/v${version}/sobjects/${name}`;
  return {
    ...ofObject,
    createable: isWritable,
    deletable: isWritable,
    feedEnabled: isWritable,
    idEnabled: true,
    keyPrefix,
    label,
    labelPlural,
    layoutable: true,
    mergeable: isWritable,
    name,
    queryable: true,
    replicateable: true,
    retrieveable: true,
    searchable: true,
    triggerable: isWritable,
    undeletable: isWritable,
    updateable: isWritable,
    urls: { sobject: base, describe: `${base}/describe`, rowTemplate: `${base}/{ID}` },
  };
}

/** The wire form of a field. Members and their meaning as in docs/contributing/providers.md, B5. */
function describeField(field: FieldDefinition): Record<string, unknown> {
  const { name, label, type, length, createable, updateable, nillable, filterable } = field;
  return {
    ...ofField,
    aggregatable: filterable,
    autoNumber: field.autoNumber === true,
    byteLength: length * 3,
    calculated: field.calculated === true,
    createable,
    custom: isCustom(field),
    defaultValue: field.defaultValue ?? null,
    defaultedOnCreate: field.defaultedOnCreate === true,
    digits: type === 'int' ? 8 : 0,
    externalId: field.externalId === true,
    filterable,
    groupable: filterable,
    idLookup: type === 'id' || field.externalId === true,
    label,
    length,
    name,
    nameField: name === 'Name',
    nillable,
    permissionable: createable && nillable,
    picklistValues: describeOptions(field),
    precision: field.digits ? field.digits.whole + field.digits.scale : 0,
    referenceTo: field.reference ? [field.reference.to] : [],
    relationshipName: field.reference?.path ?? null,
    restrictedPicklist: field.restricted === true,
    scale: field.digits?.scale ?? 0,
    soapType: traitsOf(type).soap ?? 'xsd:string',
    sortable: filterable,
    type,
    unique: field.unique === true,
    updateable,
  };
}

function describeOptions({ options = [], defaultValue }: FieldDefinition): Record<string, unknown>[] {
  return options.map((value) => ({
    active: true,
    defaultValue: value === defaultValue,
    label: value,
    validFor: null,
    value,
  }));
}
