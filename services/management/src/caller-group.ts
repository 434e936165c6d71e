import { ForbiddenError, NotFoundError } from '@sluice/errors';
import { seesGroup, type Caller } from '@sluice/types';

/**
 * Lets a bearer token name its own group only; every group of the project is for the others.
 * @throws NotFoundError `group.not-found`, the same whether the other group exists
 */
export function assertGroup(caller: Caller, groupRef: string): void {
  if (seesGroup(caller, groupRef)) return;
  throw new NotFoundError({
    code: 'group.not-found',
    detail: `groupRef: there is no group "${groupRef}" in this project.`,
    remedy: 'A bearer token is for the group of its claim groupRef.',
  });
}

/**
 * Lets a bearer token make connections for its own group and user only.
 * @throws NotFoundError `group.not-found`
 * @throws ForbiddenError `auth.scope-missing` for another user of the group
 */
export function assertConsumer(caller: Caller, of: { readonly groupRef: string; readonly consumerRef: string }): void {
  assertGroup(caller, of.groupRef);
  if (caller.kind !== 'token' || of.consumerRef === caller.consumerRef) return;
  throw new ForbiddenError({
    code: 'auth.scope-missing',
    detail: `consumerRef: a bearer token acts for the user of its claim consumerRef, not for "${of.consumerRef}".`,
    remedy: 'Send the consumerRef of the token, or send the request with an API key.',
  });
}

/** The filter of a list for this caller: a bearer token that names no group means its own, and another one has nothing. */
export function withinGroup<Filter extends { readonly groupRef?: string }>(
  caller: Caller,
  filter: Filter,
): Filter | 'nothing' {
  if (seesGroup(caller, filter.groupRef)) return filter;
  const isOwn = filter.groupRef === undefined && caller.groupRef !== undefined;
  return isOwn ? { ...filter, groupRef: caller.groupRef } : 'nothing';
}
