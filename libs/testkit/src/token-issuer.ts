import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A builder's backend that signs tokens for its customers' browsers. */
export interface TokenIssuer {
  readonly privateKey: KeyObject;
  readonly publicKeyPem: string;
  /** A valid token, with these members of header and claims in place of the usual ones; undefined: left out. */
  issue(kid: string, claims?: object, header?: object): string;
}

/** 2 s ago, for ten minutes less a second. */
const usual = () => {
  const iat = Math.floor(Date.now() / 1_000) - 2;
  return { groupRef: 'group-1', consumerRef: 'user-1', sub: 'user-1', iat, exp: iat + 599 };
};

export function tokenIssuer(modulusLength = 2_048): TokenIssuer {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
  return {
    privateKey,
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    issue: (kid, claims = {}, header = {}) => {
      const signed = `${encodePart({ alg: 'RS256', typ: 'JWT', kid, ...header })}.${encodePart({ ...usual(), ...claims })}`;
      return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`;
    },
  };
}

/** A part of a token, signed or not. */
export function encodePart(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
