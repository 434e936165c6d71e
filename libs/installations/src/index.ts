export { askAccount } from './ask-account';
export { createInstallations, type Installations, type InstallationsOptions } from './create-installations';
export { resealSecrets, type Resealing, type ResealProgress } from './reseal-secrets';
export type { Sealed, SealingKeys } from './sealed-value';
