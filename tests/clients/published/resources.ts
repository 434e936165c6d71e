import { anything, count, flag, listOf, mapOf, moment, oneOf, shape, text } from './shape';

/** The published resources around integrations and installations, from the API reference, sections A to D and I to J. */

export const project = shape(
  { id: text, name: text, appName: text, orgId: text, createTime: moment },
  {
    updateTime: moment,
    entitlements: shape({}, { brandingRemoval: shape({ value: flag }), logRetentionDays: shape({ value: count }) }),
  },
  { dropUnmappedFields: flag },
);

const field = shape({}, { fieldName: text, mapToName: text, mapToDisplayName: text, default: text, prompt: text });
const hydratedField = {
  anyOf: [
    shape({ fieldName: text, displayName: text }, { mapToName: text, mapToDisplayName: text }),
    shape({ mapToName: text }, { mapToDisplayName: text, default: text, prompt: text }),
  ],
};
const backfill = shape({ defaultPeriod: shape({}, { days: count, fullHistory: flag }) });
const delivery = shape({}, { mode: oneOf('onRequest', 'auto'), pageSize: count });
const enabled = oneOf('always');
const valueDefaults = shape({}, { allowAnyFields: flag });

const readObject = shape(
  { objectName: text, destination: text, schedule: text },
  {
    mapToName: text,
    mapToDisplayName: text,
    requiredFields: listOf(field),
    optionalFields: listOf(field),
    optionalFieldsAuto: oneOf('all'),
    backfill,
    delivery,
    enabled,
  },
);
const writeObject = shape({ objectName: text }, { inheritMapping: flag, valueDefaults });
const content = shape(
  { name: text, provider: text },
  {
    displayName: text,
    module: text,
    read: shape({}, { objects: listOf(readObject) }),
    write: shape({}, { objects: listOf(writeObject) }),
    proxy: shape({}, { enabled: flag, useModule: flag }),
    subscribe: anything,
    watchSchema: anything,
  },
);

const revision = shape(
  { id: text, specVersion: text, createTime: moment, content },
  {},
  { createdBy: text, createdByLabel: text },
);
export const integration = shape(
  { id: text, projectId: text, name: text, provider: text, createTime: moment, latestRevision: revision },
  { updateTime: moment },
);

export const signedUrl = shape({ url: text, bucket: text, path: text });

/** Of an object's metadata, and of a hydrated object. */
const fieldMetadata = shape(
  { fieldName: text, displayName: text },
  {
    valueType: oneOf(
      'string',
      'boolean',
      'singleSelect',
      'multiSelect',
      'date',
      'datetime',
      'int',
      'float',
      'reference',
      'other',
    ),
    providerType: text,
    readOnly: flag,
    isCustom: flag,
    isRequired: flag,
    referenceTo: listOf(text),
    values: listOf(shape({ value: text, displayValue: text })),
  },
);
export const objectMetadata = shape(
  { name: text, fields: mapOf(fieldMetadata) },
  { displayName: text, mappedObjectName: text },
);

const hydratedRead = shape(
  { objectName: text, displayName: text, destination: text, schedule: text },
  {
    error: text,
    mapToName: text,
    mapToDisplayName: text,
    requiredFields: listOf(hydratedField),
    optionalFields: listOf(hydratedField),
    optionalFieldsAuto: oneOf('all'),
    allFieldsMetadata: mapOf(fieldMetadata),
    allFields: listOf(hydratedField),
    backfill,
  },
  { enabled, delivery },
);
const hydratedWrite = shape({ objectName: text, displayName: text }, { valueDefaults }, { inheritMapping: flag });
export const hydratedRevision = shape({
  id: text,
  specVersion: text,
  createTime: moment,
  content: shape(
    { name: text, provider: text },
    {
      displayName: text,
      module: text,
      read: shape({}, { objects: listOf(hydratedRead) }),
      write: shape({}, { objects: listOf(hydratedWrite) }),
      proxy: shape({}, { enabled: flag, useModule: flag }),
    },
  ),
});

const operationStatus = oneOf('success', 'failure', 'in_progress');
export const operation = shape(
  {
    id: text,
    projectId: text,
    integrationId: text,
    installationId: text,
    configId: text,
    actionType: oneOf('read', 'write', 'subscribe'),
    status: operationStatus,
  },
  {
    result: text,
    metadata: shape(
      {},
      {
        objects: listOf(text),
        retry: shape({}, { attempts: count, lastAttempt: moment, lastNotified: moment }),
        progress: anything,
        successfulRecordIds: listOf(text),
      },
      { records: shape({ total: count, succeeded: count, failed: count }) },
    ),
    createTime: moment,
    // The specification and the published examples have both, the published schema neither.
    updateTime: moment,
    resource: text,
  },
  { groupRef: text, groupName: text },
);
export const operationPage = shape({
  results: listOf(operation),
  pagination: shape({ done: flag }, { nextPageToken: text }),
});
export const logs = listOf(
  shape({
    timestamp: text,
    severity: text,
    message: {
      type: 'object',
      required: ['msg'],
      properties: { msg: text, error: text, operation_id: text, details: mapOf(text) },
      additionalProperties: true,
    },
  }),
);

export { operationStatus };
