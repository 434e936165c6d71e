/** Every sentence of the page. Names in braces are put in as they are, whatever their script. */
export const texts = {
  loading: 'Loading',
  titleConnect: 'Connect {provider} to {app}',
  titleAgain: 'Connect {provider} again',
  titleInstalled: '{provider} is connected',
  titleChoose: 'Choose what {app} uses',
  titleDone: 'Connected',
  titleExpired: 'This link has expired',
  titleUsed: 'This link was used',
  titleOtherBrowser: 'This link belongs to another browser',
  titleUnknown: 'This link is not valid',
  titleFailed: 'That did not work',

  asks: '{app} asks for access to the {provider} account of {group}.',
  asksAgain: '{provider} no longer accepts the access that {app} has. Give it again for {group}.',
  installed: '{app} uses the {provider} account of {group}.',
  account: 'Account: {account}',
  sameAccount: 'Use the same account, {account}. Another one is refused.',
  purpose: 'For',
  reads: 'It reads',
  writes: 'It writes',
  forward:
    'Are you not of {group}, or did somebody you do not know send you this link? Then close this page: that group would use your account.',
  toProvider: 'Continue to {provider}',
  toProviderHint: 'You sign in there and come back. {app} never sees your password.',
  noWay: 'Access cannot be given here now. Ask {app}.',
  otherWay: 'Connect with: {way}',
  connect: 'Connect',
  connecting: 'Asking {provider}',
  secretHint: '{provider} is asked whether it accepts this. It is stored encrypted and never shown again.',
  changeFields: 'Change the fields',
  connectAgain: 'Connect again',

  chooseRequired: 'The account is connected. {app} needs to know which of its fields to use.',
  chooseOptional: 'The account is connected. You may choose more fields for {app}, or leave it.',
  chooseAgain: 'What you choose here is used from now on.',
  optionalFields: 'Optional fields of {object}',
  mappings: 'Fields of {object}',
  searchFields: 'Search the optional fields of {object}',
  isOptional: ' (optional)',
  noField: 'None',
  chooseField: 'Choose a field',
  typeToSearch: 'Type to search {count} fields',
  moreFields: '{count} more. Type to find them.',
  noSuchField: 'No field has this in its name.',
  fieldsUnknown: 'The fields of {object} could not be read: {reason}',
  finish: 'Finish',
  save: 'Save',
  skip: 'Skip',
  cancel: 'Cancel',
  loadingFields: 'Reading the fields of your account',

  done: '{app} now uses the {provider} account of {group}. You can close this page.',
  back: 'Back to {app}',
  canClose: 'If nothing is to be changed, you can close this page.',

  expired: 'Links are good for 30 minutes, unless {app} ends them before. Ask {app} for another one.',
  used: 'The account is connected. To change something, ask {app} for another link.',
  otherBrowser: 'It was begun in another browser, and goes on there only. Ask {app} for another one.',
  unknown: 'Open it as it was sent, with everything after the sign #. Otherwise ask whoever sent it for another one.',
  unreachable: 'The page cannot be reached. Check your network, and try again.',
  again: 'Try again',
} as const;

/** Ways to give credentials that the customer has, and their fields. The names are those of the request. */
export const ways = {
  apiKey: { title: 'API key', fields: { apiKey: 'API key' } },
  basicAuth: {
    title: 'User and password',
    fields: { 'basicAuth.username': 'User', 'basicAuth.password': 'Password' },
  },
  oauth2ClientCredentials: {
    title: 'Client credentials',
    fields: {
      'oauth2ClientCredentials.clientId': 'Client id',
      'oauth2ClientCredentials.clientSecret': 'Client secret',
    },
  },
  oauth2PasswordCredentials: {
    title: 'User, password and client',
    fields: {
      'oauth2PasswordCredentials.username': 'User',
      'oauth2PasswordCredentials.password': 'Password',
      'oauth2PasswordCredentials.clientId': 'Client id',
      'oauth2PasswordCredentials.clientSecret': 'Client secret',
    },
  },
} as const;

export type Names = Readonly<Record<string, string | number | undefined>>;

const pieces = (text: string): string[] => text.split(/\{(\w+)\}/);

/** A sentence with its names, each of which may have its own direction of writing. */
export function Say({ text, names = {} }: { readonly text: string; readonly names?: Names }) {
  return <>{pieces(text).map((piece, at) => (at % 2 === 0 ? piece : <bdi key={at}>{names[piece]}</bdi>))}</>;
}

/** The same without marks, for where only text can stand. */
export function plain(text: string, names: Names): string {
  return pieces(text)
    .map((piece, at) => (at % 2 === 0 ? piece : String(names[piece] ?? '')))
    .join('');
}
