// An OpenID provider to try single sign-on with, on one machine: npm start -- http://localhost:8080
//
// It takes every person with any password. The name to sign in with is an address, and what stands between + and @ in it
// are groups: lena+editors+legal@meridian.example is lena@meridian.example in the groups editors and legal.
// A sign-out here ends the sessions of the service by back-channel logout, if the connection has the id 1 or that of a second
// argument: npm start -- http://localhost:8080 7
// Never let it be reached from outside: it believes everybody.
import { Provider } from 'oidc-provider';

const service = (process.argv[2] ?? 'http://localhost:8080').replace(/\/$/, '');
const connection = process.argv[3] ?? '1';
const port = Number(process.env.PORT ?? 9100);
const issuer = `http://127.0.0.1:${port}`;

/** The person that signs in by a name. */
function person(name) {
  const [, local, groups, domain] = /^([^+@]+)((?:\+[^+@]+)*)@(.+)$/.exec(name) ?? [, name, '', 'meridian.example'];
  return {
    sub: name,
    name: local[0].toUpperCase() + local.slice(1),
    email: `${local}@${domain}`,
    email_verified: true,
    groups: groups.split('+').filter(Boolean),
  };
}

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'imprimatur',
      client_secret: 'a secret of the example',
      // The number is the id of the connection, which the service shows with its redirect address.
      redirect_uris: Array.from({ length: 100 }, (_, i) => `${service}/sso/${i + 1}/callback`),
      post_logout_redirect_uris: [`${service}/dashboard/sign-in`],
      backchannel_logout_uri: `${service}/api/oidc/${connection}/logout`,
      backchannel_logout_session_required: true,
    },
  ],
  claims: { openid: ['sub', 'auth_time'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
  features: { backchannelLogout: { enabled: true } },
  // Without the dispatcher of the library, which reaches no service on this machine.
  fetch: (url, { dispatcher: _, ...options }) => fetch(url, options),
  conformIdTokenClaims: false, // the ID token has the claims
  findAccount: (_, name) => ({ accountId: name, claims: () => person(name) }),
  // The development pages of the library ask for a name and for consent.
  cookies: { keys: ['a key of the example'] },
});
provider.on('backchannel.error', (_, error) => console.error(error.message));
provider.on('backchannel.success', (_, client) => console.log(`the sessions of a person end at ${client.backchannelLogoutUri}`));
provider.listen(port, '127.0.0.1', () => console.log(`identity provider at ${issuer}`));
