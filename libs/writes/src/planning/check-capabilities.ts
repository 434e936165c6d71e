import { ValidationError, type Issue } from '@sluice/errors';
import { unservedModule, type Capabilities, type Connector } from '@sluice/connectors';
import type { WritePlan, WriteRequest } from '@sluice/types';

/** A part of a request with what a provider must have for it. */
interface Need {
  /** The part, as issues spell it. */
  readonly name: string;
  readonly what: string;
  readonly isOffered: (capabilities: Capabilities) => boolean;
}

/**
 * Refuses what the provider cannot do, before anything is stored. Capabilities are data: no code checks the name of a provider.
 * @param connectors every connector, so that the refusal names the providers that have what is missing
 * @throws ValidationError `write.capability-missing`, one issue per part of the request
 */
export function checkCapabilities(
  connector: Connector,
  request: WriteRequest,
  connectors: readonly Connector[] = [],
): void {
  refuseMissing(connector, needsOf(request), connectors);
}

/**
 * Refuses an integration whose manifest names a part of the provider that the connector does not reach: a record of another product of the
 * provider would be written to this one's address.
 * @param code of the refusal: `write.capability-missing`, `search.capability-missing`
 * @throws ValidationError
 */
export function checkModule(
  connector: Connector,
  module: string | undefined,
  code: 'write.capability-missing' | 'search.capability-missing',
): void {
  const unserved = unservedModule(connector, module);
  if (unserved === undefined) return;
  const remedy = 'Deploy the integration with a module that is served, or without one.';
  const issues: Issue[] = [{ in: 'path', name: 'integrationId', detail: unserved }];
  throw new ValidationError({ code, detail: `integrationId: in its manifest ${unserved}.`, issues, remedy });
}

/**
 * Refuses plans that leave a decision to the field's current value where the provider cannot be read by id.
 * @throws ValidationError `write.capability-missing`
 */
export function checkIfEmpty(
  connector: Connector,
  plans: readonly WritePlan[],
  connectors: readonly Connector[] = [],
): void {
  const field = plans.flatMap((plan) => plan.ifEmpty ?? [])[0];
  if (field === undefined) return;
  const what = `writeOnUpdate ifEmpty (${field})`;
  refuseMissing(connector, [{ name: 'type', what, isOffered: (c) => c.ifEmpty }], connectors);
}

/** Records one provider call takes; undefined where the provider has no batch endpoint for the type. */
export function batchLimit(capabilities: Capabilities, type: WriteRequest['type']): number | undefined {
  const batch = type === 'create' ? capabilities.batchCreate : type === 'update' ? capabilities.batchUpdate : false;
  return batch === false ? undefined : batch.limit;
}

function needsOf(request: WriteRequest): Need[] {
  const { type, batch, headers } = request;
  const needs: Need[] = [];
  const need = (name: string, what: string, isOffered: Need['isOffered']): void => {
    needs.push({ name, what, isOffered });
  };
  if (type === 'delete') need('type', 'deletion through this service', (c) => c.delete);
  if (batch !== undefined) need('batch', `batches of ${type}`, (c) => batchLimit(c, type) !== undefined);
  if (hasAssociations(request)) {
    need('associations', `associations on ${type}`, (c) => sendsAssociations(c, type));
  }
  if ((headers?.length ?? 0) > 0) need('headers', 'forwarded headers', (c) => c.forwardedHeaders);
  return needs;
}

function refuseMissing({ capabilities, provider }: Connector, needs: readonly Need[], all: readonly Connector[]): void {
  const missing = needs.filter(({ isOffered }) => !isOffered(capabilities));
  if (missing.length === 0) return;
  const issues = missing.map(({ name, what, isOffered }): Issue => {
    const owners = all.filter((each) => isOffered(each.capabilities)).map((each) => each.provider);
    const offeredBy = owners.length === 0 ? 'no provider' : owners.join(', ');
    return { in: 'body', name, detail: `${provider} does not offer ${what}; offered by ${offeredBy}` };
  });
  const detail = issues.map((issue) => issue.detail).join('. ');
  throw new ValidationError({ code: 'write.capability-missing', detail: `${detail}.`, issues });
}

function hasAssociations(request: WriteRequest): boolean {
  return (
    (request.associations?.length ?? 0) > 0 ||
    request.batch?.some((item) => (item.associations?.length ?? 0) > 0) === true
  );
}

function sendsAssociations(capabilities: Capabilities, type: WriteRequest['type']): boolean {
  if (capabilities.associations === false) return false;
  return type === 'create' ? capabilities.associations.create : capabilities.associations.update;
}
