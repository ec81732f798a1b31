import { api, dataOf, type Schemas } from './client';

/** Whether the browser can have passkeys for this address. Browsers refuse them at IP addresses. */
export const hasPasskeys = () => 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname);

const bytes = (text: string) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const text = (buffer: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

/** Asks the browser for a new passkey of the user. */
export async function createPasskey(): Promise<Schemas['NewPasskey']['credential']> {
  const options = await dataOf(api.POST('/api/me/passkeys'));
  const made = (await navigator.credentials.create({
    publicKey: {
      ...options,
      user: { ...options.user, id: bytes(options.user.id) },
      challenge: bytes(options.challenge),
      excludeCredentials: options.excludeCredentials.map((known) => ({ type: known.type, id: bytes(known.id), transports: known.transports as AuthenticatorTransport[] })),
    },
  })) as PublicKeyCredential;
  const { clientDataJSON, attestationObject, getTransports } = made.response as AuthenticatorAttestationResponse;
  return {
    id: made.id,
    rawId: text(made.rawId),
    type: made.type,
    response: { clientDataJSON: text(clientDataJSON), attestationObject: text(attestationObject), transports: getTransports?.call(made.response) ?? [] },
  };
}

/** Asks the browser to use a passkey of the user, for a challenge or to prove who they are, and returns what it answers. */
export async function askForPasskey(of?: { challenge: string; rpId: string }): Promise<NonNullable<Schemas['SecondStep']['passkey']>> {
  const { challenge, ...options } = of ? { ...of, userVerification: 'required' as const } : await dataOf(api.POST('/api/session/passkey'));
  const found = (await navigator.credentials.get({ publicKey: { ...options, challenge: bytes(challenge) } })) as PublicKeyCredential;
  const { clientDataJSON, authenticatorData, signature, userHandle } = found.response as AuthenticatorAssertionResponse;
  return {
    id: found.id,
    rawId: text(found.rawId),
    type: found.type,
    response: {
      clientDataJSON: text(clientDataJSON),
      authenticatorData: text(authenticatorData),
      signature: text(signature),
      ...(userHandle && { userHandle: text(userHandle) }),
    },
  };
}

/** Whether the person closed the browser's dialog, or let it expire: that is no fault. */
export const passkeyDeclined = (error: unknown) => error instanceof DOMException && error.name === 'NotAllowedError';

/** Whether the authenticator has a passkey of the user already. */
export const passkeyKnown = (error: unknown) => error instanceof DOMException && error.name === 'InvalidStateError';
