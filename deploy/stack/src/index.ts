export {
  localDataDir,
  readJson,
  readLocalSettings,
  repositoryRoot,
  stackDataDir,
  writePrivateFile,
  type LocalSettings,
} from './checkout';
export { isPortFree } from './ports';
export {
  describeEnding,
  endProcess,
  findProgram,
  identify,
  isRunning,
  logTail,
  spawnDetached,
  unavailable,
  waitUntil,
  type ProcessIdentity,
} from './processes';
export { isAlive } from './runtime';
export {
  crashService,
  givenUrls,
  releaseStack,
  startStack,
  urlVariables,
  type DeadService,
  type Stack,
  type StackOptions,
} from './stack';
export { run } from './stack-command';
export { connectToHolder, holdFolder } from './folder-lock';
export { readState, say, serviceNames, type Log, type ServiceName } from './stack-state';
export { Interrupted, listenForStop, untilStopped } from './stop-signal';
