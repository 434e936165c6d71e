/**
 * What ends a black-box test that hangs, and nothing else: timing decides none. They wait for retries, batches and restarts, each with a bound
 * of its own, on machines of any speed. (jest does not take `testTimeout` from a project.)
 */
jest.setTimeout(600_000);
