import {
  choice,
  closedObject,
  flag,
  maskOf,
  momentText,
  nameText,
  openObject,
  text,
  type Described,
} from './json-schema';

const label = { ...nameText, description: 'What the key is for.' } as const;
const active = flag('Whether tokens of the key are accepted.');
const publicKeyPem = {
  type: 'string',
  maxLength: 16_384,
  pattern: '^\\s*-----BEGIN (RSA )?PUBLIC KEY-----',
  description: 'RSA public key, PEM.',
  examples: ['-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA…\n-----END PUBLIC KEY-----\n'],
} as const;

export const jwtKeySchema = openObject(
  'A public key that bearer tokens are checked with.',
  ['id', 'projectId', 'label', 'algorithm', 'publicKeyPem', 'active', 'createTime', 'updateTime'],
  {
    id: text('The kid of tokens.'),
    projectId: text('Project of the key.'),
    label,
    // Published clients expect `RSA` here, although the request has `RS256`.
    algorithm: choice('Kind of the key.', ['RSA']),
    publicKeyPem,
    active,
    createTime: momentText('When it was created.'),
    updateTime: momentText('When it was last changed.'),
    createdBy: text('Who created it: builder:<id of a key or a person>.'),
    createdByLabel: text('What the API key or the person that created it is called, while it is known.'),
    lastUseTime: momentText('When a token of it was used last, to the minute.'),
  },
);
/** Source: published API. */
export type JwtKey = Described<typeof jwtKeySchema>;

export const createJwtKeyRequestSchema = closedObject('A new key.', ['label', 'algorithm', 'publicKeyPem'], {
  label,
  algorithm: choice('Signature algorithm of the tokens.', ['RS256']),
  publicKeyPem,
});
export type CreateJwtKeyRequest = Described<typeof createJwtKeyRequestSchema>;

export const createJwtKeyReplySchema = openObject('Id of the new key.', ['kid'], {
  kid: text('To be named in the header of tokens.'),
});
export type CreateJwtKeyReply = Described<typeof createJwtKeyReplySchema>;

export const updateJwtKeyRequestSchema = closedObject(
  'Changes of a key; only what updateMask names is used.',
  ['updateMask', 'jwtKey'],
  {
    updateMask: maskOf(['active', 'label']),
    jwtKey: closedObject('The new values.', { active, label }),
  },
);
export type UpdateJwtKeyRequest = Described<typeof updateJwtKeyRequestSchema>;
