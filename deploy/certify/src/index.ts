export { run } from './certify-command';
export type { Recording } from './recording';
export { replayRecording, scrubRecording } from './replay';
