import { failure } from '../../test/builders';
import { inCallersNames } from './perform-call';

const hash = 'd4de1c1518b4531717c676029a45911c340390a6';
const note = (field: string, providerField: string, sent = true) => ({ field, providerField, sent, reason: '' });
const notes = [
  note('tier', hash),
  note('level', "$['custom_fields']['cf_level']"),
  note('surname', 'name'),
  note('left', 'cf_left', false),
];
const said = (message: string) => {
  const result = inCallersNames({ ok: false, error: failure({ message }) }, { notes, fields: {} });
  return result.ok ? undefined : result.error.message;
};

it.each([
  [
    `Validation failed: custom_fields.${hash}: Expected 'number'`,
    `Validation failed: custom_fields.tier (${hash}): Expected 'number'`,
  ],
  ['custom_fields.cf_level: is invalid; cf_level2 too', 'custom_fields.level (cf_level): is invalid; cf_level2 too'],
  ['The name of the person is missing', 'The name of the person is missing'],
  ['cf_left is gone', 'cf_left is gone'],
])('%s', (message, shown) => {
  expect(said(message)).toBe(shown);
});

it('leaves a success, and a plan without notes, as they are', () => {
  const done = { ok: true, recordId: '1' } as const;
  expect(inCallersNames(done, { notes, fields: {} })).toBe(done);
  const failed = { ok: false, error: failure({ message: hash }) } as const;
  expect(inCallersNames(failed, { fields: {} })).toBe(failed);
});

it('names the field of each problem as the caller does, whatever case the provider replies in', () => {
  const inner = note('parent name', "$['parent']['born']");
  const problems = ['Born', hash, 'CF_Level', 'NAME', 'email', 'Company', undefined].map((providerField) => ({
    message: 'is wrong',
    ...(providerField !== undefined && { providerField }),
  }));
  const result = inCallersNames(
    { ok: false, error: failure({ message: 'x', problems }) },
    { notes: [...notes, inner], fields: { [hash]: 1, name: 'Ada', Email: 'zoe@', born: '1815' } },
  );
  const named = result.ok
    ? []
    : (result.error.problems ?? []).map(({ field, providerField }) => [field, providerField]);
  expect(named).toEqual([
    ['born', 'Born'],
    ['tier', hash],
    ['level', 'CF_Level'],
    ['surname', 'NAME'],
    ['Email', 'email'],
    ['Company', 'Company'],
    [undefined, undefined],
  ]);
});
