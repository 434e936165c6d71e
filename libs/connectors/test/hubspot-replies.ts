/** Shapes of recorded replies, with invented values. Source: reference A2, A3, A7. */
export const recordOf = (id: string, properties: object) => ({
  id,
  properties: { createdate: '2026-11-20T12:00:00.000Z', ...properties, hs_object_id: id },
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
  archived: false,
});
/** As a read gives it. */
export const readOf = ({ id, properties, createdAt, ...rest }: ReturnType<typeof recordOf>) => ({
  id,
  fields: properties,
  raw: { id, properties, createdAt, ...rest },
  createdAt: new Date(createdAt),
});
export const error = (category: string, message: string, rest: object = {}) => ({
  status: 'error',
  message,
  correlationId: '0a1b2c3d-1111-2222-3333-444455556666',
  category,
  ...rest,
});
export const batch = (results: readonly object[], errors?: readonly object[]) => ({
  status: 'COMPLETE',
  results,
  ...(errors && { errors, numErrors: errors.length }),
  startedAt: '2026-11-20T12:00:00.000Z',
  completedAt: '2026-11-20T12:00:00.050Z',
});
export const missing = (...ids: string[]) =>
  error('OBJECT_NOT_FOUND', 'Could not get some CONTACT objects, they may be deleted or not exist.', {
    context: { ids },
  });
