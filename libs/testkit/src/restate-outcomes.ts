import type { openDatabase } from '@sluice/store';

/** How a record is to have ended. */
export interface RestatedOutcome {
  readonly outcome: 'succeeded' | 'failed' | 'unknown';
  readonly providerId?: string;
  readonly errorClass?: string;
  readonly errorText?: string;
  readonly warnings?: readonly string[];
}

/** Replaces the outcomes of an operation: one for each of its records, from index 0. */
export async function restateOutcomes(
  database: ReturnType<typeof openDatabase>,
  operationId: string,
  ...restated: readonly RestatedOutcome[]
): Promise<void> {
  const [operation] = await database('operations').where({ id: operationId }).pluck<string[]>('project_id');
  await database('outcomes').where({ operation_id: operationId }).delete();
  await database('outcomes').insert(
    restated.map((one, index) => ({
      project_id: operation,
      operation_id: operationId,
      call_number: 1,
      fence: index,
      outcome: one.outcome,
      record_indexes: [index],
      provider_ids: [one.providerId ?? null],
      error_classes: [one.errorClass ?? null],
      error_texts: [one.errorText ?? null],
      warnings: [one.warnings === undefined ? null : JSON.stringify(one.warnings)],
    })),
  );
}
