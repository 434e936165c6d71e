import { testRows } from './harness/test-rows';
import { longestRow } from './rows';

testRows([longestRow], { isFull: false, seed: 7 });
