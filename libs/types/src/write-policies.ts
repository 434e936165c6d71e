import { closedObject } from './json-schema';
import { limits } from './limits';

/** How a batch treats a failed record. Source: specification, Write records, batchPolicy. */
export interface BatchPolicy {
  /**
   * When true the whole batch fails if one record fails. HubSpot batch updates are always partial success.
   * @default false
   */
  readonly allOrNone?: boolean;
}

/**
 * Lets the service collect single asynchronous writes of one installation, object and type.
 * Source: specification, Write records, rule 3 and Limits.
 */
export interface AutoBatchPolicy {
  /** The batch leaves this long after its first record at the latest. Integer, 1 to 1440. */
  readonly maxDelayMinutes: number;
  /** Retrying stops this many hours after the batch was sealed. Integer, 1 to 48. @default 1 */
  readonly retryDeadlineHours?: number;
}

/**
 * How long an asynchronous write is retried. Beside an autoBatchPolicy, that policy's deadline rules.
 * Source: specification, Write records, rule 4 and Limits.
 */
export interface RetryPolicy {
  /** Retrying stops this many hours after acceptance. Integer, 1 to 48 (the minimum is ours). @default 1 */
  readonly deadlineHours?: number;
}

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

export const retryPolicySchema = closedObject('How long an asynchronous write is retried.', {
  deadlineHours: { ...deadlineHours, description: 'Retrying stops this many hours after acceptance.' },
});
