import { createHash, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export const clientId = 'imprimatur';
export const clientSecret = 'hush hush';

export type OpenId = {
  /** The issuer. */
  url: string;
  /** The claims of the person that signs in; they must have sub. */
  person: Record<string, unknown>;
  /** Whether it answers. */
  away: boolean;
  close: () => Promise<void>;
};

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64url');

function token(key: KeyObject, claims: Record<string, unknown>) {
  const text = `${base64(JSON.stringify({ alg: 'RS256', kid: 'one' }))}.${base64(JSON.stringify(claims))}`;
  return `${text}.${base64(sign('sha256', Buffer.from(text), key))}`;
}

async function form(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

/** Starts an OpenID provider at which the person is signed in without a page. It has one client. */
export async function openId(): Promise<OpenId> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, URLSearchParams>();
  const provider: OpenId = { url: '', person: {}, away: false, close: () => new Promise((resolve) => server.close(() => resolve())) };

  const answers: Record<string, (request: IncomingMessage, query: URLSearchParams) => Promise<unknown>> = {
    '/.well-known/openid-configuration': async () => ({
      issuer: provider.url,
      authorization_endpoint: `${provider.url}/authorize`,
      token_endpoint: `${provider.url}/token`,
      jwks_uri: `${provider.url}/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    }),
    '/keys': async () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' }] }),
    '/token': async (request) => {
      const body = await form(request);
      const begun = codes.get(body.get('code') ?? '');
      codes.delete(body.get('code') ?? '');
      const proves = createHash('sha256').update(body.get('code_verifier') ?? '').digest('base64url') === begun?.get('code_challenge');
      if (!begun || !proves) return undefined;
      const now = Math.floor(Date.now() / 1000);
      const id = { iss: provider.url, aud: clientId, nonce: begun.get('nonce'), iat: now, exp: now + 3600, auth_time: now, ...provider.person };
      return { access_token: randomUUID(), token_type: 'Bearer', id_token: token(privateKey, id) };
    },
  };

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', provider.url);
    if (provider.away) return void response.writeHead(503).end();
    if (pathname === '/authorize') {
      const code = randomUUID();
      codes.set(code, searchParams);
      const back = new URLSearchParams({ code, state: searchParams.get('state') ?? '' });
      return void response.writeHead(302, { Location: `${searchParams.get('redirect_uri')}?${back}` }).end();
    }
    void answers[pathname]?.(request, searchParams).then((answer) =>
      response.writeHead(answer ? 200 : 400, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer ?? { error: 'invalid_grant' })),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return provider;
}
