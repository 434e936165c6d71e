/**
 * Longest time of one test or hook, for every suite. It ends what hangs and judges no speed: a test that takes 2 s here may take
 * twenty on a busy machine with slow cores. What a test waits for has a bound of its own, shorter than this one (`until`), so that
 * the failure names it. (jest does not take `testTimeout` from a project.)
 */
jest.setTimeout(150_000);
