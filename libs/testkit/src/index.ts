export { countRows } from './count-rows';
export { fillBacklog, type Backlog, type BacklogOwner } from './fill-backlog';
export { freePortBase } from './free-port-base';
export { patientLimits } from './patient-limits';
export { sampleConfig, sampleManifest } from './sample-manifest';
export {
  hubspotRecord,
  hubspotRefusal,
  startScriptedProvider,
  type AnswerCall,
  type ProviderAnswer,
  type ProviderCall,
  type ScriptedProvider,
} from './scripted-provider';
export { seedInstallation, type SeededInstallation, type SeedOptions } from './seed-installation';
export { cloneDatabase, createEmptyDatabase, type ClonedDatabase } from './template-database';
export { startTcpProxy, type TcpProxy } from './tcp-proxy';
export type { WireFault } from './wire-fault';
export { encodePart, tokenIssuer, type TokenIssuer } from './token-issuer';
export { until } from './until';
export { zipOf, type ZipEntry } from './zip-of';
