import type { BuiltDocument } from './contract/build-document';
import { createServedRoom, type ServedRoom } from './served-room';

/** What the server and the routes of one app share. */
export interface AppState {
  /** Largest request body, in bytes. */
  bodyBytesMax: number;
  /** What large bodies and replies wait for when many come at once. */
  readonly room: ServedRoom;
  /** True once the server is closing: the app is alive, and no longer ready. */
  draining: boolean;
  /** What the app's routes promise; absent when it has no API. */
  contract?: BuiltDocument;
}

const states = new WeakMap<object, AppState>();

/** State of an app made by createApp; other Express apps get the defaults. */
export function stateOf(app: object): AppState {
  let state = states.get(app);
  if (!state) {
    // 1 MB: the largest single write.
    state = { bodyBytesMax: 1_048_576, room: createServedRoom(), draining: false };
    states.set(app, state);
  }
  return state;
}
