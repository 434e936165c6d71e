import { renderAgain } from './report/write-report';
import { rows } from './rows';

/** Writes BENCHMARKS.md again from the figures that are there: after a run of the fault rows. */
renderAgain(rows);
