export { createInstallations, type Installations, type InstallationsOptions } from './create-installations';
export type { Sealed, SealingKeys } from './seal-credentials';
