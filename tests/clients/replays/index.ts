import type { Replay } from '../replay';
import { connections, installations, integrations } from './integrations';
import { leftOut } from './left-out';
import { authorizations, keys, operations, projects, providerApps } from './projects';
import { searches, writes } from './records';
import { uploads } from './uploads';

/** Every request, in the order of the API reference. */
export const replays: readonly Replay[] = [
  ...projects,
  ...integrations,
  ...uploads,
  ...installations,
  ...operations,
  ...connections,
  ...authorizations,
  ...providerApps,
  ...keys,
  ...writes,
  ...searches,
  ...leftOut,
];
