import { ValidationError, type Issue } from '@sluice/errors';
import type { Capabilities, Connector } from '@sluice/connectors';
import type { WriteRequest } from '@sluice/types';

/**
 * Refuses what the provider cannot do, before anything is stored. Capabilities are data: nobody asks for a provider by name.
 * @throws ValidationError `write.capability-missing`, one issue per part of the request
 */
export function checkCapabilities(connector: Connector, request: WriteRequest): void {
  const { capabilities, provider } = connector;
  const issues: Issue[] = [];
  const lacks = (name: string, what: string): void => {
    issues.push({ in: 'body', name, detail: `${provider} does not offer ${what}` });
  };
  if (request.type === 'delete' && !capabilities.delete) lacks('type', 'deletion through this service');
  if (request.batch !== undefined && batchLimit(capabilities, request.type) === undefined)
    lacks('batch', 'batch writes');
  if (hasAssociations(request) && !sendsAssociations(capabilities, request)) {
    lacks('associations', `associations on ${request.type}`);
  }
  if ((request.headers?.length ?? 0) > 0 && !capabilities.forwardedHeaders) lacks('headers', 'forwarded headers');
  if (issues.length === 0) return;
  const detail = issues.map((issue) => issue.detail).join('; ');
  throw new ValidationError({ code: 'write.capability-missing', detail: `${detail}.`, issues });
}

/** Records one provider call takes; undefined where the provider has no batch endpoint for the type. */
export function batchLimit(capabilities: Capabilities, type: WriteRequest['type']): number | undefined {
  const batch = type === 'create' ? capabilities.batchCreate : type === 'update' ? capabilities.batchUpdate : false;
  return batch === false ? undefined : batch.limit;
}

function hasAssociations(request: WriteRequest): boolean {
  return (
    (request.associations?.length ?? 0) > 0 ||
    request.batch?.some((item) => (item.associations?.length ?? 0) > 0) === true
  );
}

function sendsAssociations(capabilities: Capabilities, request: WriteRequest): boolean {
  if (capabilities.associations === false) return false;
  return request.type === 'create' ? capabilities.associations.create : capabilities.associations.update;
}
