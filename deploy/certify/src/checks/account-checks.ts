import { ProviderError } from '@sluice/errors';
import type { FieldMetadata } from '@sluice/types';
import { Differs, expect, explained, NotTried } from '../finding';
import { callOf } from '../trial';
import type { Check } from './check';

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
    claimed: ({ scopes }) => (scopes ? 'told by the account' : undefined),
    run: async ({ connector, auth, subject: { scopes: needed = [] }, shown }) => {
      const scopes = await connector.scopes?.({ auth });
      if (!scopes) throw new NotTried('this kind of token does not tell its scopes');
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
      trial.shown.set(`fields of ${subject.objectName}`, Object.values(fields).map(told).toSorted());
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

function told({ fieldName, providerType, valueType, readOnly, isRequired }: FieldMetadata): string {
  const is = [providerType ?? valueType, isRequired && 'required', readOnly && 'read-only'].filter(Boolean);
  return is.length === 0 ? fieldName : `${fieldName} (${is.join(', ')})`;
}

/** A token of the same form that opens nothing: its last characters are turned round. */
function spoiled(token: string): string {
  const tail = token.slice(-12);
  const turned = tail.split('').toReversed().join('');
  return token.slice(0, -12) + (turned === tail ? `${turned.slice(1)}0` : turned);
}
