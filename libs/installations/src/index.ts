export { createInstallations, type Installations, type InstallationsOptions } from './create-installations';
export type { Sealed, SealingKeys } from './sealed-value';
