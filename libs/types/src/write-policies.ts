import { closedObject, type Described } from './json-schema';
import { limits } from './limits';

const deadlineHours = {
  type: 'integer',
  minimum: limits.deadlineHoursMin,
  maximum: limits.deadlineHoursMax,
  default: limits.deadlineHoursDefault,
} as const;

export const batchPolicySchema = closedObject('How a batch treats a failed record. Only with batch.', {
  allOrNone: {
    type: 'boolean',
    default: false,
    description: 'True: the whole batch fails if one record fails. HubSpot batch updates are always partial success.',
  },
});
/** Source: specification, Write records, batchPolicy. */
export type BatchPolicy = Described<typeof batchPolicySchema>;

export const autoBatchPolicySchema = closedObject(
  'Collects single asynchronous writes of one installation, object and type into a batch.',
  ['maxDelayMinutes'],
  {
    maxDelayMinutes: {
      type: 'integer',
      minimum: limits.maxDelayMinutesMin,
      maximum: limits.maxDelayMinutesMax,
      description: 'The batch leaves this many minutes after its first record at the latest.',
    },
    retryDeadlineHours: { ...deadlineHours, description: 'Retrying stops this many hours after the batch left.' },
  },
);
/** Source: specification, Write records, rule 3 and Limits. */
export type AutoBatchPolicy = Described<typeof autoBatchPolicySchema>;

export const retryPolicySchema = closedObject('How long an asynchronous write is retried.', {
  deadlineHours: { ...deadlineHours, description: 'Retrying stops this many hours after acceptance.' },
});
/** Beside an autoBatchPolicy, that policy's deadline rules. Source: specification, Write records, rule 4 and Limits; the minimum is ours. */
export type RetryPolicy = Described<typeof retryPolicySchema>;
