import { testChosenRows } from './harness/test-rows';
import { lateRows } from './rows';

testChosenRows(lateRows);
