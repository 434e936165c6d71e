import { describeMessaging } from '../../test/conformance';
import { topics } from '../topics';
import { createInProcessHub } from './hub';
import { createInProcessMessaging } from './in-process-messaging';

describeMessaging('in process', async () => {
  const hub = createInProcessHub();
  return {
    open: (options) => createInProcessMessaging({ ...options, hub }),
    putRaw: async (key, value) => hub.append(topics.ready, key, value),
    dispose: async () => undefined,
  };
});
