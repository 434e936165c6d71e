import { ValidationError } from '@sluice/errors';
import { InboundError, route, type Reply, type Router, type RouteRequest } from '@sluice/http';
import type { BatchMembership } from '@sluice/store';
import { checkWriteRequest, codeOfWriteIssues, writeRequestSchema } from '@sluice/types';
import type { AcceptedWriteReply, WriteRequest } from '@sluice/types';
import { presentWrite } from '../present-write';
import type { WriteCall } from '../resolve-write';
import type { WrittenNow } from '../write-synchronously';

/** Largest body of a batch and of a single record, in bytes. Source: reliability notes 2.24. */
const batchBytesMax = 5_000_000;
const singleBytesMax = 1_000_000;
const refCharactersMax = 255;
/** A header carries bytes, not characters: anything but visible ASCII and spaces would come back as something else. */
const refForm = /^[\x20-\x7e]*$/;

/** The three ways a write goes. */
export interface Writers {
  readonly accept: (call: WriteCall) => Promise<AcceptedWriteReply>;
  readonly join: (call: WriteCall) => Promise<BatchMembership>;
  readonly writeNow: (call: WriteCall) => Promise<WrittenNow>;
}

interface Parts {
  readonly params: { projectIdOrName: string; integrationId: string; objectName: string };
  readonly body: WriteRequest;
}

/** `POST {write_url}/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}` */
export function writeRecordsRoute(router: Router, writers: Writers): void {
  router.post(
    '/v1/projects/:projectIdOrName/integrations/:integrationId/objects/:objectName',
    route<Parts>({
      scopes: ['write'],
      body: writeRequestSchema,
      bodyBytesMax: batchBytesMax,
      handle: async (request) => {
        const call = toWriteCall(request);
        const { mode, autoBatchPolicy } = call.request;
        if (mode !== 'asynchronous') return presentWrite(await writers.writeNow(call));
        if (autoBatchPolicy === undefined) return present(call, await writers.accept(call), 0);
        const { operationId, index } = await writers.join(call);
        return present(call, { operationId }, index);
      },
    }),
  );
}

function toWriteCall(request: RouteRequest<Parts>): WriteCall {
  const { params, body, caller } = request;
  if (body.batch === undefined && request.bodyBytes > singleBytesMax) {
    const detail = `The body of a single write may have ${singleBytesMax} bytes; this one has ${request.bodyBytes}.`;
    throw new InboundError({ code: 'request.body-too-large', detail });
  }
  const issues = checkWriteRequest(body);
  if (issues.length > 0) {
    const detail = `The request breaks ${issues.length} rule(s), first: ${issues[0]?.name} ${issues[0]?.detail}.`;
    throw new ValidationError({ code: codeOfWriteIssues(issues), detail, issues });
  }
  const ref = checkRef(request.header('sluice-record-ref'));
  return {
    names: {
      withinProjectId: caller.projectId ?? '',
      projectIdOrName: params.projectIdOrName,
      integrationId: params.integrationId,
      groupRef: body.groupRef,
    },
    objectName: params.objectName,
    keyId: caller.keyId,
    request: body,
    ...(ref === undefined ? {} : { ref }),
    traceparent: request.traceparent,
  };
}

function checkRef(ref: string | undefined): string | undefined {
  if (ref === undefined || (ref.length <= refCharactersMax && refForm.test(ref))) return ref;
  const detail =
    ref.length > refCharactersMax
      ? `may have ${refCharactersMax} characters; this one has ${ref.length}`
      : 'may have ASCII characters only; percent-encode the others';
  const issues = [{ in: 'header' as const, name: 'Sluice-Record-Ref', detail }];
  throw new ValidationError({ code: 'request.invalid', detail: `Sluice-Record-Ref ${detail}.`, issues });
}

/** Only after the commit: the id in the reply is the operation that writes the record. */
function present(call: WriteCall, body: AcceptedWriteReply, index: number): Reply {
  const headers = {
    'Sluice-Record-Index': String(index),
    ...(call.ref === undefined ? {} : { 'Sluice-Record-Ref': call.ref }),
  };
  return { status: 200, body, headers };
}
