import { DefectError, SluiceError } from '@sluice/errors';
import { errorCode, toDependencyError } from './database';

/**
 * The same store, whose methods throw only `SluiceError`s: what the server refuses as wrong is a defect of ours
 * (SQLSTATE classes 22, 23 and 42), everything else is a database that does not answer.
 */
export function translated<Store extends object>(store: Store): Store {
  const methods = Object.entries(store) as [string, (...given: unknown[]) => Promise<unknown>][];
  const wrapped = methods.map(([name, method]) => {
    const guarded = async (...given: unknown[]): Promise<unknown> => {
      try {
        return await method(...given);
      } catch (error) {
        throw toSluiceError(error);
      }
    };
    return [name, guarded] as const;
  });
  return Object.fromEntries(wrapped) as Store;
}

/** A rejection handler: throws `makeError()` when this unique constraint was violated, else the error as it came. */
export function onDuplicate(constraint: string, makeError: () => SluiceError): (error: unknown) => never {
  return (error) => {
    const isDuplicate = errorCode(error) === '23505' && (error as { constraint?: string }).constraint === constraint;
    throw isDuplicate ? makeError() : error;
  };
}

function toSluiceError(error: unknown): SluiceError {
  if (error instanceof SluiceError) return error;
  const isOurs = error instanceof TypeError || /^(22|23|42)[0-9A-Z]{3}$/.test(errorCode(error) ?? '');
  return isOurs
    ? new DefectError({ code: 'service.defect', detail: 'A statement was refused by the database.', cause: error })
    : toDependencyError(error);
}
