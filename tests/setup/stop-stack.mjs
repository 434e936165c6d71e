import process from 'node:process';

/**
 * jest globalTeardown: services end with the last one who needs them, unless `npm run stack -- start` asked to keep them.
 * With LEAVE_SERVICES whoever set it sees to that (`stack release`), after its last run of jest.
 */
export default async function stopAfterTests() {
  if (process.env.LEAVE_SERVICES) return;
  const stack = await globalThis.sluiceTestStack;
  globalThis.sluiceTestStack = undefined;
  await stack?.stop();
}
