import type { Knex } from 'knex';
import { inMs } from '../database';
import { newId } from '../new-id';

/** A sign-in that a provider has confirmed. */
export interface CompletedSignIn {
  /** Of the sign-in that was taken; from then on it is the session's. */
  readonly id: string;
  /** Together they name a person for ever; a name or an address does not. Source: OpenID Connect Core 1.0, 5.7. */
  readonly issuer: string;
  readonly subject: string;
  /** What the person is called now. */
  readonly name: string;
  /** How long the session lasts, in milliseconds. */
  readonly lifeMs: number;
}

/** Invariant: an id is taken once, whichever process is asked, and a session that was ended never lives again. */
export function personStore(database: Knex) {
  return {
    /**
     * Takes a sign-in that was begun. False: it was taken before.
     * @param lifeMs at least as long as it can be presented
     */
    takeSignIn: async (id: string, lifeMs: number): Promise<boolean> => {
      // Each sign-in sweeps.
      await database('sessions').where('ends_at', '<', database.raw('now()')).delete();
      const row = { id, ends_at: inMs(database, lifeMs) };
      const taken = await database('sessions').insert(row).onConflict('id').ignore().returning<unknown[]>('id');
      return taken.length > 0;
    },
    /** Begins the session. @returns the id of the person, the same each time */
    beginSession: async ({ id, issuer, subject, name, lifeMs }: CompletedSignIn): Promise<string> => {
      const person = { id: newId(), issuer, subject, name };
      await database('people').insert(person).onConflict(['issuer', 'subject']).merge(['name']);
      const [known] = await database('people').where({ issuer, subject }).select<{ id: string }[]>('id');
      const personId = known?.id ?? person.id;
      const endsAt = database.raw('greatest(ends_at, ?)', [inMs(database, lifeMs)]);
      await database('sessions').where({ id }).update({ person_id: personId, ends_at: endsAt });
      return personId;
    },
    hasSession: async (id: string, personId: string): Promise<boolean> => {
      const live = database('sessions').where({ id, person_id: personId }).where('ends_at', '>', database.raw('now()'));
      return (await live.select<unknown[]>('id')).length > 0;
    },
    /** The row stays until its end, so that its sign-in is not taken again. */
    endSession: async (id: string): Promise<void> => {
      await database('sessions').where({ id }).update({ person_id: null });
    },
  };
}
