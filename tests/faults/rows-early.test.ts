import { testChosenRows } from './harness/test-rows';
import { earlyRows } from './rows';

// The matrix is two suites, so that two workers share it.
testChosenRows(earlyRows);
