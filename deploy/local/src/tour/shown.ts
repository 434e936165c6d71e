import { join } from 'node:path';
import { writePrivateFile } from '@sluice/stack';
import { readJson } from '../run-folder/run-record';

/** A tour that ended as it should: of which project, and how the services ran. */
interface ShownTour {
  readonly projectId: string;
  readonly footprint: string;
}

/** Whether the tour was shown before: it writes some 300 records, which a start that finds them need not add again. */
export function wasShown(folder: string, { projectId, footprint }: ShownTour): boolean {
  return readShown(folder).some((tour) => tour.projectId === projectId && tour.footprint === footprint);
}

/** Kept for the next start. Tours of projects that are gone stay behind: a line each. */
export function noteShown(folder: string, tour: ShownTour): void {
  if (!wasShown(folder, tour)) writePrivateFile(fileOf(folder), [...readShown(folder), tour]);
}

const fileOf = (folder: string) => join(folder, 'tours.json');

function readShown(folder: string): readonly ShownTour[] {
  const shown = readJson(fileOf(folder));
  return Array.isArray(shown) ? (shown as ShownTour[]) : [];
}
