import { createPublicKey, type KeyObject } from 'node:crypto';
import { invalid } from '@sluice/http';
import type { CreateJwtKeyRequest, JwtKey } from '@sluice/types';
import type { ManagementContext } from '../context';

/** Smallest modulus. Source: RFC 7518, section 3.3. With the largest, checking a signature takes 0.3 ms per request. */
const bitsMin = 2_048;
const bitsMax = 4_096;
/** Source: NIST FIPS 186-5, 5.4: smaller exponents are weak. Above 64 bits checking a signature becomes slow. */
const exponentMin = 65_537n;
const exponentMax = 2n ** 64n;

/**
 * Registers the public half of a key that signs bearer tokens. It is kept and shown in SPKI form, so that whatever else
 * the text held is dropped.
 * @throws ValidationError 400 for what is no RSA public key of 2,048 to 4,096 bits
 */
export async function createJwtKey(
  context: ManagementContext,
  projectId: string,
  { label, publicKeyPem }: CreateJwtKeyRequest,
): Promise<JwtKey> {
  const key = readKey(publicKeyPem);
  const pem = key.export({ type: 'spki', format: 'pem' }).toString();
  const created = await context.store.jwtKeys.create({ projectId, label, publicKeyPem: pem });
  context.logger.info({ projectId, keyId: created.id }, 'jwt-key.created');
  return created;
}

function readKey(pem: string): KeyObject {
  const key = parseKey(pem);
  if (key.asymmetricKeyType !== 'rsa') throw refused(`must be an RSA key; this one is ${key.asymmetricKeyType}`);
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < bitsMin || modulusLength > bitsMax) {
    throw refused(`must have ${bitsMin} to ${bitsMax} bits; this one has ${modulusLength}`);
  }
  if (publicExponent < exponentMin || publicExponent >= exponentMax) {
    throw refused(`must have a public exponent from ${exponentMin} to 64 bits; this one has ${publicExponent}`);
  }
  return key;
}

function parseKey(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch {
    throw refused('must be an RSA public key in PEM form');
  }
}

/** Without the value: it is long, and could be a private key by mistake. */
function refused(detail: string): Error {
  return invalid([{ in: 'body', name: 'publicKeyPem', detail }]);
}
