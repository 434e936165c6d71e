export { problems, type Problem, type ProblemCode } from './problems';
export { SluiceError, type Retry, type SluiceErrorOptions } from './sluice-error';
export {
  AuthError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  RateLimitedError,
  RequestError,
  ValidationError,
  type Issue,
} from './request-error';
export { DefectError, DependencyError } from './sluice-error';
export { failureClasses, ProviderError, providerProblemCodes, retryOf, type FailureClass } from './provider-error';
