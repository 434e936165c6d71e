/**
 * Longest time of one black-box test. They wait for retries, batches and restarts, each with a bound of its own; jest's
 * five seconds are for tests that wait for nothing. (jest does not take `testTimeout` from a project.)
 */
jest.setTimeout(40_000);
