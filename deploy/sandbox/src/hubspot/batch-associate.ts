import type { Action, PairCall } from './api-call';
import { readObjectId, readTypeIds, checkPair, linkPair, namesOf, type Pair } from './associations';
import { defaultAssociationType } from './association-types';
import { batchError, batchReply, type BatchError } from './batch-reply';
import { refused, readInputs, readJsonObject } from './request-body';
import { invalid, invalidJson } from './wire-reply';

/** Source: docs/contributing/providers.md, A4. */
const inputsMax = { create: 2000, archive: 100 };

/** `POST /crm/v4/associations/{from}/{to}/batch/create` -> 201, or 207 with the pairs that cannot be. */
export const batchAssociate: Action<PairCall> = (call) => {
  const inputs = readInputs(readJsonObject(call.bodyText), inputsMax.create);
  const pairs = inputs.map((input) => ({ ...endsOf(input), typeIds: readTypeIds(input.types) }));
  const { linked, errors } = linkAll(call, pairs);
  return batchReply(call, 201, { results: linked.map((pair) => namesOf(call, pair)), errors });
};

/** `POST /crm/v4/associations/{from}/{to}/batch/associate/default` -> 200 or 207. */
export const batchAssociateByDefault: Action<PairCall> = (call) => {
  const type = defaultAssociationType(call.from, call.to);
  if (!type) throw invalid(`No default association type from ${call.from.name} to ${call.to.name}`);
  const inputs = readInputs(readJsonObject(call.bodyText), inputsMax.create);
  const { linked, errors } = linkAll(
    call,
    inputs.map((input) => ({ ...endsOf(input), typeIds: [type.id] })),
  );
  const associationSpec = { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: type.id };
  const results = linked.map(({ fromId, toId }) => ({ from: { id: fromId }, to: { id: toId }, associationSpec }));
  return batchReply(call, 200, { results, errors });
};

/** `POST /crm/v4/associations/{from}/{to}/batch/archive` with `{inputs:[{from:{id}, to:[{id}]}]}` -> 204. */
export const batchDissociate: Action<PairCall> = (call) => {
  const pairs = readInputs(readJsonObject(call.bodyText), inputsMax.archive).flatMap((input) => {
    if (!Array.isArray(input.to)) throw invalidJson('line 1, column 1. Some required fields were not set: [to]');
    const fromId = readObjectId(input.from);
    return input.to.map((to: unknown) => ({ fromId, toId: readObjectId(to) }));
  });
  for (const { fromId, toId } of pairs) call.data.unlink(fromId, toId);
  return { status: 204 };
};

function endsOf(input: Readonly<Record<string, unknown>>): Pick<Pair, 'fromId' | 'toId'> {
  return { fromId: readObjectId(input.from), toId: readObjectId(input.to) };
}

function linkAll(call: PairCall, pairs: readonly Pair[]) {
  const linked: Pair[] = [];
  const errors: BatchError[] = [];
  for (const [index, pair] of pairs.entries()) {
    const refusal = call.refusals.get(index);
    const failure = refusal ? refused(refusal) : checkPair(call, pair);
    if (failure) {
      errors.push(batchError(failure, {}, refusal));
      continue;
    }
    linkPair(call, pair);
    linked.push(pair);
  }
  return { linked, errors };
}
