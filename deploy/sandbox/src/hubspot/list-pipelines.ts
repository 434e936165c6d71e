import type { Action, ObjectCall } from './api-call';
import { HubspotError } from './errors';
import { dealPipeline, deals, dealStages } from './objects/deals';

/** Closing chances of the stages of the pipeline at the start, in order. */
const probabilities = ['0.2', '0.4', '0.6', '0.8', '0.9', '1.0', '0.0'];

/** `GET /crm/v3/pipelines/{T}`: where the options of `dealstage` and `pipeline` are. Of deals only. */
export const listPipelines: Action<ObjectCall> = ({ type }) => {
  if (type !== deals) throw new HubspotError(404, { message: 'resource not found' });
  const stages = dealStages.map((id, displayOrder) => ({
    id,
    label: id,
    displayOrder,
    metadata: { isClosed: String(id.startsWith('closed')), probability: probabilities[displayOrder] },
    archived: false,
  }));
  const pipeline = { id: dealPipeline, label: 'Sales Pipeline', displayOrder: 0, stages, archived: false };
  return { status: 200, body: { results: [pipeline] } };
};
