import { ValidationError } from '@sluice/errors';
import { InboundError, jsonText, route, type ParametersOf, type Router, type RouteRequest } from '@sluice/http';
import {
  checkWriteRequest,
  codeOfWriteIssues,
  limits,
  reachOf,
  writeRequestSchema,
  type Described,
  type WriteRequest,
} from '@sluice/types';
import type { GatewayContext } from '../context';
import { readKey } from '../idempotency';
import { presentPlans } from '../present-write';
import type { WriteCall } from '../resolve-write';
import { writeOnce } from '../write-once';
import { writeExamples, writeProblems, writeReplies, writeRequestHeaders } from './write-document';

/** Refused before the body is parsed: what they keep out costs seconds and gigabytes to parse, check and plan. */
const bodyBounds = {
  listItemsMax: limits.recordListItemsMax,
  stringBytesMax: limits.textBytesMax,
  valuesMax: limits.bodyValuesMax,
};
/** A header carries bytes, not characters: anything but visible ASCII and spaces would come back as something else. */
const refForm = /^[\x20-\x7e]*$/;

/** What a request may grow to, in the words of a refusal. */
const plans = {
  asked: 'The plans of the request, with the defaults and mapped values of the config,',
  beside: 'large replies and plans',
  consequence: 'Nothing was written.',
  advice: 'send fewer requests at the same time, or fewer records in one',
};

const writePath = '/v1/projects/:projectIdOrName/integrations/:integrationId/objects/:objectName';
const querySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    dryRun: { type: 'string', enum: ['true', 'false'], description: 'true: only report what would be written.' },
  },
} as const;

interface Parts {
  readonly params: ParametersOf<typeof writePath>;
  readonly query: Described<typeof querySchema>;
  readonly body: WriteRequest;
}

/** `POST {write_url}/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}` */
export function writeRecordsRoute(router: Router, context: GatewayContext): void {
  router.post(
    writePath,
    route<Parts>({
      operationId: 'writeRecords',
      summary: 'Write records',
      description: 'One record or a batch; now, or accepted to be written later.',
      tags: ['Writes'],
      examples: writeExamples,
      requestHeaders: writeRequestHeaders,
      replies: writeReplies,
      problems: writeProblems,
      scopes: ['write', 'token'],
      query: querySchema,
      body: writeRequestSchema,
      bodyBytesMax: limits.batchWriteBytesMax,
      bodyBounds,
      handle: async (request) => {
        await context.requestLimits.assertGroup(request.caller, request.body.groupRef);
        const call = toWriteCall(request);
        if (request.query.dryRun === 'true') return { stream: jsonText(await presentPlans(context, call)) };
        const { body, ...reply } = await writeOnce(context, call);
        // The provider's response for a hundred records may have megabytes.
        return call.request.batch === undefined ? { body, ...reply } : { stream: jsonText(body), ...reply };
      },
    }),
  );
}

function toWriteCall(request: RouteRequest<Parts>): WriteCall {
  const { params, body, caller } = request;
  const { singleWriteBytesMax } = limits;
  if (body.batch === undefined && request.bodyBytes > singleWriteBytesMax) {
    const detail = `The body of a single write may have ${singleWriteBytesMax} bytes; this one has ${request.bodyBytes}.`;
    throw new InboundError({ code: 'request.body-too-large', detail });
  }
  const issues = checkWriteRequest(body);
  if (issues.length > 0) {
    const detail = `The request breaks ${issues.length} rule(s), first: ${issues[0]?.name} ${issues[0]?.detail}.`;
    throw new ValidationError({ code: codeOfWriteIssues(issues), detail, issues });
  }
  const { projectIdOrName, integrationId, objectName } = params;
  const ref = checkRef(request.header('sluice-record-ref'));
  const key = request.header('idempotency-key');
  const path = [projectIdOrName, integrationId, objectName];
  return {
    names: { ...reachOf(caller), projectIdOrName, integrationId, groupRef: body.groupRef },
    objectName,
    keyId: caller.keyId,
    request: body,
    ...(ref === undefined ? {} : { ref }),
    ...(key === undefined ? {} : { idempotency: readKey(key, { caller, path, body }) }),
    held: request.held,
    bodyBytes: request.bodyBytes,
    growNow: (bytes) => request.growNow(bytes),
    growTo: (bytes) => request.growTo(bytes, plans),
    traceparent: request.traceparent,
  };
}

function checkRef(ref: string | undefined): string | undefined {
  const { recordRefCharactersMax: max } = limits;
  const detail = ref === undefined ? undefined : refFault(ref, max);
  if (detail === undefined) return ref;
  const issues = [{ in: 'header' as const, name: 'Sluice-Record-Ref', detail }];
  throw new ValidationError({ code: 'request.invalid', detail: `Sluice-Record-Ref ${detail}.`, issues });
}

function refFault(ref: string, max: number): string | undefined {
  if (ref === '') return 'must not be empty; leave it out';
  if (ref.length > max) return `may have ${max} characters; this one has ${ref.length}`;
  return refForm.test(ref) ? undefined : 'may have ASCII characters only; percent-encode the others';
}
