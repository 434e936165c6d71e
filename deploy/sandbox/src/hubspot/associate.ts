import type { Action, PairCall } from './api-call';
import { readTypeIds } from './association-body';
import { checkPair, linkPair, namesOf, type Pair } from './association-pair';
import { defaultAssociationType } from './association-types';
import { refuseByScript } from './check-write';
import { invalid, invalidJson } from './errors';

/** `PUT /crm/v4/objects/{from}/{id}/associations/{to}/{toId}` with `[{associationCategory, associationTypeId}]` -> 201. */
export const associate: Action<PairCall> = (call) => {
  const pair = { fromId: call.params.id ?? '', toId: call.params.toId ?? '', typeIds: readKinds(call.bodyText) };
  link(call, pair);
  return { status: 201, body: namesOf(call, pair) };
};

/** `PUT /crm/v4/objects/{from}/{id}/associations/default/{to}/{toId}` -> 200 with both directions. */
export const associateByDefault: Action<PairCall> = (call) => {
  const type = defaultAssociationType(call.from, call.to);
  if (!type) throw invalid(`No default association type from ${call.from.name} to ${call.to.name}`);
  const [fromId, toId] = [call.params.id ?? '', call.params.toId ?? ''];
  link(call, { fromId, toId, typeIds: [type.id] });
  const side = (from: string, to: string, associationTypeId: number) => ({
    from: { id: from },
    to: { id: to },
    associationSpec: { associationCategory: 'HUBSPOT_DEFINED', associationTypeId },
  });
  const at = call.now.toISOString();
  const results = [side(fromId, toId, type.id), side(toId, fromId, type.inverseId)];
  return { status: 200, body: { status: 'COMPLETE', results, startedAt: at, completedAt: at } };
};

/** `DELETE /crm/v4/objects/{from}/{id}/associations/{to}/{toId}` -> 204, whether there was a link or not. */
export const dissociate: Action<PairCall> = ({ data, params, refusals }) => {
  refuseByScript(refusals);
  data.unlink(params.id ?? '', params.toId ?? '');
  return { status: 204 };
};

function link(call: PairCall, pair: Pair): void {
  refuseByScript(call.refusals);
  const failure = checkPair(call, pair);
  if (failure) throw failure;
  linkPair(call, pair);
}

function readKinds(bodyText: string): readonly number[] {
  try {
    return readTypeIds(JSON.parse(bodyText));
  } catch (error) {
    if (error instanceof SyntaxError) throw invalidJson('line 1, column 1: Unexpected end-of-input');
    throw error;
  }
}
