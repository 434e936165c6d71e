import { ProviderError } from '@sluice/errors';
import type { Connector } from '@sluice/connectors';
import type { ManifestReadObject, ReadObjectConfig } from '@sluice/types';
import { fieldNamesOf, fieldsToAsk } from './searchable-object';

const call = { auth: { accessToken: 't' }, objectName: 'contacts', traceparent: '' };
const byCity = [{ field: 'city', value: 'Bern' }];

/** A provider whose account has these fields; only what is used of it here. */
function describing(...fields: readonly string[]): Connector {
  const named = Object.fromEntries(fields.map((name) => [name, { fieldName: name, displayName: name }]));
  return { describe: async () => ({ name: 'contacts', fields: named }) } as unknown as Connector;
}

function ask(connector: Connector, declared: Partial<ManifestReadObject>, config?: Partial<ReadObjectConfig>) {
  const object = {
    declared: { objectName: 'contacts', ...declared },
    config: config && { objectName: 'contacts', ...config },
  };
  return fieldsToAsk(connector, call, { object, names: fieldNamesOf(object, 'exact'), filters: byCity });
}

const account = describing('email', 'city', 'zip');

describe('all fields of the account', () => {
  it.each<[string, Partial<ManifestReadObject>, Partial<ReadObjectConfig> | undefined]>([
    ['nothing is declared', {}, undefined],
    ['nothing is declared in empty lists', { requiredFields: [], optionalFields: [] }, { selectedFields: {} }],
    ['the config requires it', { requiredFields: [{ fieldName: 'email' }] }, { selectedFieldsAuto: 'all' }],
    ['the manifest requires it', { requiredFields: [{ fieldName: 'email' }], optionalFieldsAuto: 'all' }, undefined],
  ])('%s', async (_, declared, config) => {
    expect(await ask(account, declared, config)).toEqual(['email', 'city', 'zip']);
  });

  it('are those that nobody switched off', async () => {
    const config = { selectedFieldsAuto: 'all' as const, selectedFields: { ZIP: false, email: true } };
    expect(await ask(account, {}, config)).toEqual(['email', 'city']);
  });

  it('stand beside mapped ones that the description does not name, each once, whatever its case', async () => {
    const config = { selectedFieldsAuto: 'all' as const, selectedFieldMappings: { mail: 'Email', boss: 'owner.name' } };
    expect(await ask(account, {}, config)).toEqual(['email', 'city', 'zip', 'owner.name']);
  });
});

describe('declared fields', () => {
  it.each<[string, Partial<ManifestReadObject>, Partial<ReadObjectConfig> | undefined, string[]]>([
    ['required', { requiredFields: [{ fieldName: 'email' }] }, undefined, ['email', 'city']],
    [
      'optional, chosen',
      { optionalFields: [{ fieldName: 'zip' }] },
      { selectedFields: { zip: true } },
      ['zip', 'city'],
    ],
    ['optional, not chosen', { optionalFields: [{ fieldName: 'zip' }] }, undefined, ['city']],
    ['mapped', {}, { selectedFieldMappings: { mail: 'email' } }, ['email', 'city']],
  ])('%s', async (_, declared, config, expected) => {
    expect(await ask(account, declared, config)).toEqual(expected);
  });
});

describe('a provider that does not describe the object', () => {
  const failing = (failureClass: 'forbidden' | 'unavailable') =>
    ({
      describe: () => Promise.reject(new ProviderError({ class: failureClass, detail: 'no' })),
    }) as unknown as Connector;

  it('chooses itself', async () => {
    expect(await ask({} as Connector, {})).toEqual(['city']);
    expect(await ask(failing('forbidden'), {})).toEqual(['city']);
  });

  it('ends the search when it may do so later', async () => {
    await expect(ask(failing('unavailable'), {})).rejects.toMatchObject({ class: 'unavailable' });
  });
});
