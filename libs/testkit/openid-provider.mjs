// An OpenID provider for one client, the console. Whoever types a name is that person; `groups` follows from the name, as in `vera-viewer`.
// The address of `unverified-viewer` is not verified.
// Usage: node openid-provider.mjs REDIRECT_URI; prints its issuer when it listens.
import { createServer } from 'node:http';
import process from 'node:process';
import { Provider } from 'oidc-provider';

const [redirectUri] = process.argv.slice(2);
const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'console',
        // Of such a client a provider takes any port on this machine (RFC 8252, 7.3): a test does not know its own before it starts.
        application_type: 'native',
        client_secret: 'secret-of-the-console',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    // As most providers do: claims stand in the ID token, not only behind another request.
    conformIdTokenClaims: false,
    cookies: { keys: ['key-of-a-test'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@example.com`,
        email_verified: !id.startsWith('unverified-'),
        name: id,
        groups: [`sluice-${id.split('-')[1]}`, 'staff'],
      }),
    }),
  });
  server.on('request', provider.callback());
  process.stdout.write(`${issuer}\n`);
});
