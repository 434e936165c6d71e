import type { Action, ObjectCall } from './api-call';
import { propertyMetadata } from './property-metadata';

/** `GET /crm/v3/properties/{T}` -> every property with its metadata, sorted by name. */
export const listProperties: Action<ObjectCall> = ({ type }) => ({
  status: 200,
  body: { results: propertyMetadata(type) },
});
