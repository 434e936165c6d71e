import { describeMessaging } from '../test/conformance';
import { createInProcessHub, createInProcessMessaging } from './in-process-messaging';
import { topics } from './topics';

describeMessaging('in process', async () => {
  const hub = createInProcessHub();
  return {
    open: (options) => createInProcessMessaging({ ...options, hub }),
    putRaw: async (key, value) => hub.append(topics.ready, key, value),
    dispose: async () => undefined,
  };
});
