export { run } from './certify-command';
export type { Recording } from './recording';
export { replayRecording } from './replay-recording';
export { scrubRecording } from './subject-in';
