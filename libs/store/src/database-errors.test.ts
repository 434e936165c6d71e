import { mayPass, toStartError } from './database-errors';

const failure = (code: string, message = 'no') => Object.assign(new Error(message), { code });
const url = 'postgres://u:secret@db:5432/sluice';

it.each([
  ['ECONNREFUSED', true],
  ['EAI_AGAIN', true],
  ['08006', true],
  ['53300', true],
  ['57P03', true],
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
])('%s is reported as: it %s', (code, why) => {
  expect(toStartError(failure(code), url).detail).toBe(`The database sluice at db:5432 ${why}.`);
});
