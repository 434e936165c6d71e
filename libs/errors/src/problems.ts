/** Presentation of one problem code. `status` is the HTTP status of a synchronous reply. */
export interface Problem {
  readonly status: number;
  readonly title: string;
  /** What the caller can do, unless the error itself knows better. */
  readonly remedy: string;
}

const problem = (status: number, title: string, remedy: string): Problem => ({ status, title, remedy });

const correctIssues = 'Correct every field that issues names, and send the request again.';
const retryLater = 'Send the same request again after the time in Retry-After.';
const checkId = 'Check the id or name, and that the API key belongs to the same project.';

/**
 * Every problem a caller can meet, by its stable code. The one place that gives a code its status and title.
 * Source of the shape: RFC 9457. Codes are never renamed; new ones are added.
 */
export const problems = {
  'request.malformed-json': problem(400, 'The body is not valid JSON', 'Send one JSON document, encoded as UTF-8.'),
  'request.invalid': problem(400, 'The request breaks a rule', correctIssues),
  'request.body-too-large': problem(413, 'The body is too large', 'Send fewer or smaller records per request.'),
  'request.content-type': problem(415, 'The content type is not supported', 'Send Content-Type: application/json.'),
  'request.path-unknown': problem(404, 'There is nothing at this path', 'Check the base URL and the path.'),
  'request.method-not-allowed': problem(405, 'The path does not take this method', 'Use a method named in Allow.'),
  'request.idempotency-mismatch': problem(
    422,
    'The idempotency key belongs to another request',
    'Send a new Idempotency-Key, or the same request as the first time.',
  ),
  'request.idempotency-in-flight': problem(409, 'The first request with this idempotency key is under way', retryLater),
  'request.timeout': problem(408, 'The request arrived too slowly', 'Send the whole body within ten seconds.'),
  'request.rate-limited': problem(429, 'Too many requests of one caller', retryLater),
  'auth.missing': problem(401, 'No credentials were sent', 'Send the header x-api-key, or Authorization: Bearer.'),
  'auth.invalid': problem(401, 'The credentials are not valid', 'Use an active API key of this project.'),
  'auth.scope-missing': problem(403, 'The key may not do this', 'Use a key whose scopes include this base URL.'),
  'project.not-found': problem(404, 'No such project', checkId),
  'project.name-taken': problem(409, 'The project name is taken', 'Choose another name.'),
  'integration.not-found': problem(404, 'No such integration', checkId),
  'integration.name-taken': problem(409, 'The integration name is taken', 'Choose another name.'),
  'revision.not-found': problem(404, 'No such revision', checkId),
  'group.not-found': problem(404, 'No such group', 'Create an installation for this groupRef first.'),
  'installation.not-found': problem(404, 'No such installation', 'Create an installation for this groupRef first.'),
  'installation.exists': problem(409, 'The group has this integration installed', 'Update the existing installation.'),
  'installation.config-invalid': problem(422, 'The config breaks a rule', 'Correct every path named in issues.'),
  'config.not-found': problem(404, 'No such config', checkId),
  'config.superseded': problem(
    409,
    'The config was changed meanwhile',
    'Read the installation again, compare, and send the request with the id of the config that is in force now.',
  ),
  'connection.not-found': problem(404, 'No such connection', checkId),
  'connection.bad-credentials': problem(
    409,
    'The provider refused the credentials of the connection',
    'Let the customer connect again, or update the credentials of the connection.',
  ),
  'connection.scheme-mismatch': problem(422, 'The credentials do not fit the provider', correctIssues),
  'connection.in-use': problem(
    409,
    'An installation uses the connection',
    'Delete the installation, or give it another connection, first.',
  ),
  'connect-session.not-found': problem(404, 'No such connect session', 'Ask for a new link to the connect page.'),
  'connect-session.expired': problem(410, 'The connect session has expired', 'Ask for a new link to the connect page.'),
  'connect-session.used': problem(409, 'The connect session was used', 'Ask for a new link to the connect page.'),
  'connect-session.other-browser': problem(
    403,
    'The connect session belongs to another browser',
    'Go on in the browser in which it was begun, with cookies allowed, or ask for a new link.',
  ),
  'connect-session.limit-reached': problem(
    429,
    'The project has as many open connect sessions as it may',
    'End those that nobody needs with DELETE connect-sessions/{id}, or wait: each ends by itself after 30 minutes.',
  ),
  'connect-session.invalid': problem(422, 'The connect session cannot be made', correctIssues),
  'provider-app.not-found': problem(404, 'No such provider app', checkId),
  'operation.not-found': problem(
    404,
    'No such operation',
    `${checkId} An operation that has ended is deleted after SLUICE_OPERATION_RETENTION_DAYS (90).`,
  ),
  'operation.ended': problem(409, 'The operation has ended', 'Read the operation: nothing of it is left to cancel.'),
  'operation.in-progress': problem(409, 'The operation has not ended', 'Wait for its end, or cancel it first.'),
  'operation.synchronous': problem(409, 'The operation was synchronous', 'Send the write again.'),
  'operation.nothing-to-replay': problem(
    409,
    'The operation has no record to replay',
    'Read the records of the operation; those of unknown outcome are replayed with force=true only.',
  ),
  'operation.not-replayable': problem(409, 'The records would not be accepted now', 'Send the records again.'),
  'operation.plan-deleted': problem(410, 'What was to be written is no longer kept', 'Send the records again.'),
  'operation.quarantined': problem(
    403,
    'Records of the operation were taken out of the queue',
    "Replay it with an API key, from the builder's backend.",
  ),
  'api-key.not-found': problem(404, 'No such API key', checkId),
  'jwt-key.not-found': problem(404, 'No such JWT key', checkId),
  'webhook-endpoint.not-found': problem(404, 'No such webhook endpoint', checkId),
  'webhook-endpoint.too-many': problem(
    409,
    'The project has as many webhook endpoints as it may',
    'Delete one, or let one endpoint pass messages on to several.',
  ),
  'webhook-endpoint.disabled': problem(
    409,
    'The webhook endpoint is disabled',
    'Enable it: PATCH with updateMask ["status"] and status "enabled".',
  ),
  'webhook-message.not-found': problem(404, 'No such message', checkId),
  'upload.not-found': problem(
    404,
    'Nothing is to be put at this address',
    'Ask GET /v1/generate-upload-url for an address, and PUT the zip there within an hour.',
  ),
  'upload.taken': problem(
    409,
    'The address of an upload is good for one zip',
    'Deploy what was put there, or ask GET /v1/generate-upload-url for another address.',
  ),
  'write.object-not-in-manifest': problem(
    404,
    'The manifest does not declare this object for writing',
    "Add the object to the integration's write.objects.",
  ),
  'write.delete-not-enabled': problem(
    403,
    'Deletion is not enabled for this object',
    "Set deletionSettings.enabled to true in the installation's config.",
  ),
  'write.capability-missing': problem(400, 'The provider cannot do this', 'Leave the named part out of the request.'),
  'write.mode-required': problem(400, 'The policy needs asynchronous mode', 'add "mode": "asynchronous"'),
  'write.nothing-to-write': problem(400, 'No field is left to write', 'Send at least one field the config writes.'),
  'write.record-busy': problem(409, 'The record is being written right now', 'Send the same request again.'),
  'write.number-not-exact': problem(
    400,
    'The number cannot be carried exactly',
    'Send a number of more than 15 digits as a string.',
  ),
  'search.object-not-in-manifest': problem(
    404,
    'The manifest does not declare this object for reading',
    "Add the object to the integration's read.objects.",
  ),
  'write.backlog-full': problem(
    429,
    'Too many writes of the project wait to be performed',
    'Wait for the time in the Retry-After header; records end meanwhile. Synchronous writes are not held back.',
  ),
  'search.object-disabled': problem(403, 'Search is disabled for this object', 'Enable the object in the config.'),
  'search.capability-missing': problem(400, 'The provider cannot search this', 'Search another object.'),
  'provider.unknown': problem(422, 'The provider is not known', 'Use one of the providers named in the detail.'),
  'provider.not-in-catalogue': problem(
    404,
    'No such provider',
    'Use one of the providers that GET /v1/providers lists.',
  ),
  'object.not-found': problem(
    404,
    'The account has no such object',
    "Check the name of the object, and what the connection's user may see.",
  ),
  'provider.rejected': problem(422, 'The provider refused the request', 'Correct what it names and send it again.'),
  'provider.not-found': problem(422, 'The provider has no such record', 'Check the record id.'),
  'provider.forbidden': problem(
    422,
    'The connection may not do this',
    "See the detail: extend the permissions of the customer's user, or the scopes of the provider app.",
  ),
  'provider.quota-exhausted': problem(429, "The customer's provider quota is used up", retryLater),
  'provider.unavailable': problem(502, 'The provider is not available', retryLater),
  'provider.timeout': problem(504, 'The provider did not answer in time', retryLater),
  'provider.outcome-unknown': problem(
    502,
    'It is not known whether the provider wrote the record',
    'Look for the record at the provider before you send it again.',
  ),
  'service.unavailable': problem(503, 'A component of the service is not available', retryLater),
  'service.config-invalid': problem(500, 'The configuration breaks a rule', 'Correct every setting named in the list.'),
  'service.unmigrated': problem(503, 'The database schema is not current', 'Run: npm run migrate'),
  'service.overloaded': problem(429, 'Too much work is waiting', retryLater),
  'service.defect': problem(500, 'The service made a mistake', 'Report the request id to whoever runs the service.'),
} as const satisfies Record<string, Problem>;

/** A stable, dotted, lower-case name of a problem: `write.delete-not-enabled`. */
export type ProblemCode = keyof typeof problems;
