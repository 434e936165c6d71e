import { testRows } from './harness/test-rows';
import { shortRows } from './rows';

// A row of each kind guards every change; the matrix is run by `npm run test:full`.
testRows(shortRows, { isFull: false, seed: 7 });
