import { describeHints } from '../test/conformance';
import { createInMemoryHints } from './in-memory-hints';

describeHints('in memory', async () => {
  const hints = createInMemoryHints();
  return { open: async () => hints, dispose: () => hints.close() };
});
