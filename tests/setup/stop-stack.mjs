/** jest globalTeardown: services end with the last one who needs them, unless `npm run stack -- start` asked to keep them. */
export default async function stopAfterTests() {
  const stack = await globalThis.sluiceTestStack;
  globalThis.sluiceTestStack = undefined;
  await stack?.stop();
}
