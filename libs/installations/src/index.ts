export { askAccount } from './ask-account';
export { assertRingOpens } from './assert-ring-opens';
export {
  createInstallations,
  type Installations,
  type InstallationsOptions,
  type ResolvedAccount,
} from './create-installations';
export { toldMetadata } from './save-tokens';
export { resealSecrets, type Resealing, type ResealProgress } from './reseal-secrets';
export type { KnownCredentials, Sealed, SealingKeys, WebhookSecrets } from './live-credentials';
