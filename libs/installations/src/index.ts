export { askAccount } from './ask-account';
export { assertRingOpens } from './assert-ring-opens';
export { createInstallations, type Installations, type InstallationsOptions } from './create-installations';
export { toldMetadata } from './save-tokens';
export { resealSecrets, type Resealing, type ResealProgress } from './reseal-secrets';
export type { Sealed, SealingKeys } from './live-credentials';
export type { WebhookSecrets } from './live-credentials';
