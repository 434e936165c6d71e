export { countRows } from './count-rows';
export { sampleConfig, sampleManifest } from './sample-manifest';
export { seedInstallation, type SeededInstallation, type SeedOptions } from './seed-installation';
export { cloneDatabase, createEmptyDatabase, type ClonedDatabase } from './template-database';
export { startTcpProxy, type TcpProxy } from './tcp-proxy';
export { encodePart, tokenIssuer, type TokenIssuer } from './token-issuer';
export { until } from './until';
