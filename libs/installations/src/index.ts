export { callAccount } from './call-account';
export { assertKeyRingComplete } from './assert-key-ring-complete';
export {
  createInstallations,
  type Installations,
  type InstallationsOptions,
  type ResolvedAccount,
} from './create-installations';
export { reportedMetadata } from './save-tokens';
export { resealSecrets, type Resealing, type ResealProgress } from './reseal-secrets';
export type { KnownCredentials, Sealed, SealingKeys, WebhookSecrets } from './live-credentials';
