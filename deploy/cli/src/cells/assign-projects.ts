import type { Project } from '@sluice/types';
import { CommandFailure } from '../failure';
import type { Cell, CellTable } from './read-table';

/** A cell and the projects that it has. */
export interface ListedCell {
  readonly cell: Cell;
  readonly projects: readonly Pick<Project, 'id' | 'name'>[];
}

export interface Assignment {
  /** Id or name of a project -> name of its cell. */
  readonly cellOf: ReadonlyMap<string, string>;
  /** Where new projects are made, and where a project leads that is not in the map. */
  readonly open: Cell;
  readonly hasRoom: boolean;
  /** Names that projects of two cells have: the path by name leads where it led before, else to the first. */
  readonly shared: readonly string[];
}

/**
 * @param before the map that is in use, id or name -> name of its cell. Whoever has a key may rename its project to a name of another cell: a name that
 * leads to a cell keeps it while that cell has the name
 * @throws CommandFailure for a project that two cells have, while the table does not decide for one, and for a decision that is wrong
 */
export function assignProjects(
  table: CellTable,
  listed: readonly ListedCell[],
  before: ReadonlyMap<string, string> = new Map(),
): Assignment {
  const { cells, projects: decided } = table;
  refuseWrongDecisions(decided, listed);
  const cellOf = new Map(Object.entries(decided));
  const names = new Map<string, string>();
  const shared = new Set<string>();
  for (const { cell, projects } of listed) {
    for (const { id, name } of projects) {
      const owner = cellOf.get(id) ?? cell.name;
      if (owner !== cell.name) {
        if (decided[id] !== undefined) continue;
        throw new CommandFailure(
          `The project ${id} is in ${owner} and in ${cell.name}. Say in projects of the table which of them has it.`,
        );
      }
      cellOf.set(id, owner);
      const other = names.get(name);
      if (other !== undefined && other !== owner) shared.add(name);
      if (other === undefined || before.get(name) === owner) names.set(name, owner);
    }
  }
  for (const [name, cell] of names) cellOf.set(name, cell);
  const withRoom = listed.find(({ cell, projects }) => projects.length < cell.room)?.cell;
  const [last] = cells.slice(-1) as [Cell];
  const open = withRoom ?? last;
  return { cellOf, open, hasRoom: withRoom !== undefined, shared: [...shared] };
}

/** A project that no cell has is left alone: it may have been deleted since. */
function refuseWrongDecisions(decided: CellTable['projects'], listed: readonly ListedCell[]): void {
  for (const [id, owner] of Object.entries(decided)) {
    const having = listed.filter(({ projects }) => projects.some((project) => project.id === id));
    const names = having.map(({ cell }) => cell.name);
    if (names.length > 0 && !names.includes(owner))
      throw new CommandFailure(
        `The table places the project ${id} in ${owner}, which does not have it: it is in ${names.join(', ')}.`,
      );
  }
}
