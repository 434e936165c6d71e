import { ProviderError } from '@sluice/errors';
import type { FieldMetadata } from '@sluice/types';
import { Differs, expect, explained, NotTried } from '../finding';
import { find, poll, visibleWithinMs } from '../read-back';
import { absentField } from '../subjects';
import { callOf, type Check, type Trial } from '../trial';

/** What can be asked of an account before anything is written. */
export const accountChecks: readonly Check[] = [
  {
    capability: 'the account is named',
    claimed: () => 'a workspace reference',
    run: async ({ connector, auth }) => {
      const { workspaceRef } = await connector.workspace({ auth });
      expect(workspaceRef !== '', 'an empty reference');
      return 'a workspace reference';
    },
  },
  {
    capability: 'refused credentials',
    claimed: () => 'credentials',
    run: async ({ connector, auth }) => {
      const wrong = { ...auth, accessToken: spoiled(auth.accessToken) };
      const error: unknown = await connector.workspace({ auth: wrong }).catch((thrown: unknown) => thrown);
      if (!(error instanceof ProviderError)) throw new Differs('a token that is wrong was accepted');
      if (error.class !== 'credentials') throw explained(error);
      return 'credentials';
    },
  },
  {
    capability: 'scopes',
    claimed: ({ scopes }) => (scopes ? 'reported by the account' : undefined),
    run: async ({ connector, auth, subject: { scopes: needed = [] }, shown }) => {
      const scopes = await connector.scopes?.({ auth });
      if (!scopes) throw new NotTried('the scopes of this kind of token are not reported');
      shown.set('scopes of the token', scopes.toSorted());
      const lacking = needed.filter((scope) => !scopes.includes(scope));
      if (lacking.length > 0) throw new NotTried(`forbidden: the token lacks ${lacking.join(', ')}`, 'forbidden');
      return scopes.toSorted().join(' ');
    },
  },
  {
    capability: 'fields of the object',
    claimed: ({ describe }) => (describe ? 'the fields that we write are there, and not read-only' : undefined),
    run: async (trial) => {
      const { connector, subject } = trial;
      const fields = (await connector.describe?.(callOf(trial)))?.fields ?? {};
      trial.shown.set(`fields of ${subject.objectName}`, Object.values(fields).map(describeField).toSorted());
      const sent = Object.keys(subject.fields('x'));
      const missing = sent.filter((name) => !fields[name] || fields[name].readOnly === true);
      expect(missing.length === 0, `missing or read-only: ${missing.join(', ')}`);
      const required = Object.values(fields).flatMap((field) => (field.isRequired ? [field.fieldName] : []));
      const isCovered = required.every((name) => sent.includes(name));
      expect(isCovered, `the account requires ${required.join(', ')}, which this run does not send`);
      return `they are; required: ${required.join(', ') || 'none'}`;
    },
  },
];

function describeField({ fieldName, providerType, valueType, readOnly, isRequired }: FieldMetadata): string {
  const is = [providerType ?? valueType, isRequired && 'required', readOnly && 'read-only'].filter(Boolean);
  return is.length === 0 ? fieldName : `${fieldName} (${is.join(', ')})`;
}

/** A token of the same form that opens nothing: its last characters are reversed. */
function spoiled(token: string): string {
  const tail = token.slice(-12);
  const turned = tail.split('').toReversed().join('');
  return token.slice(0, -12) + (turned === tail ? `${turned.slice(1)}0` : turned);
}

/** Searches for the first marked record, once the provider's index can have it. */
export const searchChecks: readonly Check[] = [
  {
    capability: 'search by equality',
    claimed: ({ capabilities: { search } }) => (search ? `a page of up to ${search.limit}` : undefined),
    run: async (trial) => {
      const first = firstMade(trial);
      const boundMs = visibleWithinMs(trial);
      let found: string[] = [];
      const isFound = async () => (found = (await find(trial, first.mark)).map(({ id }) => id)).length > 0;
      expect(await poll(isFound, { ...trial, boundMs }), `not found within ${boundMs / 1000} s`);
      expect(found.length === 1 && found[0] === first.id, `found ${found.join(', ')}`);
      return 'the record, and no other';
    },
  },
  {
    capability: 'search for a field that is not there',
    claimed: ({ capabilities: { search }, describe }) => (search && describe ? 'rejected' : undefined),
    run: async (trial) => {
      const filters = [{ field: absentField, value: 'x' }];
      const fields = [trial.subject.markField];
      const asked = trial.connector.search?.({ ...callOf(trial), filters, fields, limit: 1 });
      const failure = await asked?.then(
        () => new Differs('it was accepted'),
        (error: unknown) => explained(error),
      );
      if (failure instanceof NotTried) throw failure;
      expect(failure?.message.startsWith('rejected: ') === true, failure?.message ?? 'nothing');
      return 'rejected';
    },
  },
  {
    capability: 'a create is found again',
    claimed: ({ findCreated }) => (findCreated ? 'exactly one, made after the run began' : undefined),
    run: async (trial) => {
      const first = firstMade(trial);
      const records = [{ fields: first.fields, since: trial.startedAt }];
      // The update changed a value that was sent, so the record is like the create but not equal to it.
      const seen = (await trial.connector.findCreated?.({ ...callOf(trial), records }))?.[0];
      if (seen?.kind === 'cannot-look-up') throw new NotTried(seen.reason);
      const isNear = seen?.kind === 'none' && seen.near?.includes(first.id ?? '') === true;
      const ids = seen?.kind === 'found' ? seen.matches.map(({ recordId }) => recordId) : [];
      expect(isNear || ids.join() === first.id, `the lookup returned ${seen?.kind ?? 'nothing'}`);
      return isNear ? 'near: a value was changed since' : 'the record';
    },
  },
];

function firstMade({ records }: Trial) {
  const [first] = records;
  if (first?.id === undefined) throw new NotTried('there is no record: its create failed');
  return first;
}
