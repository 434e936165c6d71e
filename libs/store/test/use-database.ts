import { cloneDatabase, patientLimits, type ClonedDatabase } from '@sluice/testkit';
import type { Knex } from 'knex';
import { openDatabase } from '../src/database';
import { createStore, type Store } from '../src/store';

/** A database of a file's own, and a store on it. */
export interface DatabaseOfTest {
  readonly database: Knex;
  readonly store: Store;
}

/** Both are there while the tests of the file run. @param prepare what all of them begin with */
export function useDatabase(prepare?: () => PromiseLike<unknown>): DatabaseOfTest {
  const fixture = {} as DatabaseOfTest;
  let clone: ClonedDatabase;
  beforeAll(async () => {
    clone = await cloneDatabase();
    const options = { url: clone.url, applicationName: 'test', limits: patientLimits };
    Object.assign(fixture, { database: openDatabase(options), store: createStore(options) });
    await prepare?.();
  });
  afterAll(async () => {
    await Promise.all([fixture.store.close(), fixture.database.destroy()]);
    await clone.drop();
  });
  return fixture;
}
