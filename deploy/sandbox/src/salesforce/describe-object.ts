import { describeField } from './describe-field';
import { objectOf } from './find-record';
import type { ObjectDefinition } from './object-definition';
import { objectDefinitions, visibleFields } from './object-definitions';
import type { ApiAction } from './org';

/** The metadata of an org never changes; this is when it last did. */
const METADATA_CHANGED = new Date('2026-01-15T08:00:00Z');

/** `GET /sobjects` -> every object, without fields. */
export const listObjects: ApiAction = ({ version }) => ({
  status: 200,
  body: {
    encoding: 'UTF-8',
    maxBatchSize: 200,
    sobjects: objectDefinitions.map((object) => summary(object, version)),
  },
});

/** `GET /sobjects/{T}` -> what it is, without fields. */
export const basicObject: ApiAction = (call) => ({
  status: 200,
  body: { objectDescribe: summary(objectOf(call), call.version), recentItems: [] },
});

/** `GET /sobjects/{T}/describe`; 304 when it has not changed since `If-Modified-Since`. */
export const describeObject: ApiAction = (call) => {
  const object = objectOf(call);
  const headers = { 'last-modified': METADATA_CHANGED.toUTCString() };
  const known = Date.parse(call.headers['if-modified-since'] ?? '');
  if (known >= METADATA_CHANGED.getTime()) return { status: 304, headers };
  const fields = visibleFields(object).map(describeField);
  const more = { childRelationships: [], fields, namedLayoutInfos: [], recordTypeInfos: [], supportedScopes: [] };
  return { status: 200, headers, body: { ...summary(object, call.version), ...more } };
};

function summary({ name, label, labelPlural, keyPrefix, isWritable }: ObjectDefinition, version: string) {
  const base = `/services/data/v${version}/sobjects/${name}`;
  return {
    activateable: false,
    createable: isWritable,
    custom: false,
    customSetting: false,
    deletable: isWritable,
    deprecatedAndHidden: false,
    feedEnabled: isWritable,
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
