import { mayPass, toStartError, toStoreError } from './database-errors';

const failure = (code: string, message = 'no') => Object.assign(new Error(message), { code });
const url = 'postgres://u:secret@db:5432/sluice';

it.each([
  ['ECONNREFUSED', true],
  ['EAI_AGAIN', true],
  ['08006', true],
  ['53300', true],
  ['57P03', true],
  ['25006', true],
  // Faults of the settings: neither the address nor the certificate heals while one waits.
  ['ERR_INVALID_URL', false],
  ['ERR_TLS_CERT_ALTNAME_INVALID', false],
  ['3D000', false],
])('%s may pass: %s', (code, expected) => expect(mayPass(failure(code))).toBe(expected));

it.each([
  ['ECONNREFUSED', 'does not answer (ECONNREFUSED)'],
  ['EAI_AGAIN', 'does not answer (EAI_AGAIN)'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'cannot be used: no'],
  ['3D000', 'does not exist'],
  ['42501', 'does not let the user u read the schema'],
  ['42P07', 'cannot be used: no'],
  // A sentence says no more than the code proves.
  ['28000', 'refuses the user u: no'],
  ['28P01', 'refuses the user u'],
  ['53300', 'has no connection left'],
  ['53100', 'lacks a resource: no'],
  ['57P03', 'is starting or stopping'],
  ['57014', 'was too slow: no'],
  ['08P01', 'cannot be reached through its pooler: no'],
  ['25006', 'takes no writes: no'],
  ['EPIPE', 'does not answer (EPIPE)'],
])('%s is reported as: it %s', (code, why) => {
  expect(toStartError(failure(code), url).detail).toBe(`The database sluice at db:5432 ${why}.`);
});

it.each([
  ['ECONNRESET', 'does not answer'],
  ['57P01', 'does not answer'],
  ['53100', 'refuses for now (SQLSTATE 53100)'],
  ['25006', 'takes no writes'],
])('under way %s is reported as: it %s', (code, why) => {
  expect(toStoreError(failure(code)).detail).toBe(`The database ${why}.`);
});
