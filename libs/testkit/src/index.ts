export { recordLines } from './record-lines';
export { fillBacklog, type Backlog, type BacklogOwner } from './fill-backlog';
export { freePortBase } from './free-port-base';
export { createReplyChecker, keepsContract, type ReplyChecker } from './reply-checker';
export { restateOutcomes, type RestatedOutcome } from './restate-outcomes';
export {
  hubspotRecord,
  hubspotRefusal,
  startScriptedProvider,
  type AnswerCall,
  type ProviderAnswer,
  type ProviderCall,
  type ScriptedProvider,
} from './scripted-provider';
export {
  sampleConfig,
  sampleManifest,
  seedInstallation,
  type SeededInstallation,
  type SeedOptions,
} from './seed-installation';
export { cloneDatabase, countRows, createEmptyDatabase, patientLimits, type ClonedDatabase } from './template-database';
export { signInSettings, startOpenIdProvider, type OpenIdProviderOfTest } from './start-openid-provider';
export { startTcpProxy, type TcpProxy } from './tcp-proxy';
export { encodePart, tokenIssuer } from './token-issuer';
export { until } from './until';
export { zipOf, type ZipEntry } from './zip-of';
