import { ForbiddenError, NotFoundError, type Issue } from '@sluice/errors';
import { invalid } from '@sluice/http';
import { seesGroup, type Caller } from '@sluice/types';

/** By code, what a request may name that does not exist: the path parameter that names it, and its description. */
const absences = {
  'project.not-found': ['projectIdOrName', 'project for this key'],
  'api-key.not-found': ['keyId', 'API key in this project'],
  'jwt-key.not-found': ['keyId', 'JWT key in this project'],
  'integration.not-found': ['integrationId', 'integration in this project'],
  'revision.not-found': ['revisionId', 'revision of this integration'],
  'connect-session.not-found': ['connectSessionId', 'open connect session in this project'],
  'connection.not-found': ['connectionId', 'connection in this project'],
  'provider-app.not-found': ['providerAppId', 'provider app in this project'],
  'installation.not-found': ['installationId', 'installation of this integration'],
  'config.not-found': ['configId', 'config of this installation'],
  'operation.not-found': ['operationId', 'operation in this project'],
  'webhook-endpoint.not-found': ['endpointId', 'webhook endpoint in this project'],
  'webhook-message.not-found': ['messageId', 'message of this webhook endpoint'],
} as const;

/**
 * The error for what is not there. It does not repeat the id: what was deleted, what never was, another project's and, for a bearer token, another
 * group's are answered alike, byte for byte.
 */
export function notFound(code: keyof typeof absences, name: string = absences[code][0], remedy?: string) {
  return new NotFoundError({ code, detail: `${name}: there is no such ${absences[code][1]}.`, remedy });
}

/** @throws NotFoundError when it is absent */
export function found<T>(value: T | undefined, code: keyof typeof absences, name?: string): T {
  if (value === undefined) throw notFound(code, name);
  return value;
}

/**
 * @param code of what contradicts what is stored, which is 422. @default `request.invalid`, 400
 * @throws ValidationError that lists the issues, when there is one
 */
export function refuseIssues(issues: readonly Issue[], code?: Contradiction['code']): void {
  if (issues.length > 0) throw invalid(issues, code && { code });
}

/** What a body asks for that contradicts what is stored or what a provider says: 422. */
export interface Contradiction {
  /** @default `connection.scheme-mismatch` */
  readonly code?:
    'connect-session.invalid' | 'connection.scheme-mismatch' | 'installation.config-invalid' | 'provider.unknown';
  /** Member of the body. */
  readonly name: string;
  readonly detail: string;
  /** Never a secret. */
  readonly value?: string;
  readonly remedy?: string;
}

/** The error for a contradiction, with one issue that names the member. */
export function contradiction({ code = 'connection.scheme-mismatch', remedy, ...member }: Contradiction) {
  return invalid([{ in: 'body', ...member }], { code, remedy });
}

/**
 * The values that an update mask names; other values are ignored.
 * @param name member of the body that holds the values
 * @throws ValidationError 400 for a field of the mask without a value
 */
export function maskedValues<Values extends object>(
  updateMask: readonly (keyof Values & string)[],
  values: Values,
  name: string,
): Partial<Values> {
  refuseAbsent(updateMask, values, name);
  return Object.fromEntries(updateMask.map((field) => [field, values[field]])) as Partial<Values>;
}

/** @throws ValidationError 400 for a field of the mask without a value */
export function refuseAbsent<Values extends object>(
  fields: readonly (keyof Values & string)[],
  values: Values,
  name: string,
): void {
  const detail = 'is required, because updateMask names it';
  const absent = fields.filter((field) => values[field] === undefined);
  refuseIssues(absent.map((field) => ({ in: 'body', name: `${name}.${field}`, detail })));
}

/** A moment of the query. The form is checked already; a leap second is of that form, and no moment here. Before 1970 nothing was accepted. */
export function readMoment(name: string, value: string): Date {
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) throw invalid([{ in: 'query', name, detail: 'must be a moment', value }]);
  return new Date(Math.max(0, ms));
}

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
