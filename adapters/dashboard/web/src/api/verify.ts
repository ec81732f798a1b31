import { ApiError } from './error';

/** What shows who the user is: one of the members. */
export type Proof = { password?: string; totp?: string; passkey?: unknown };

/** Proves again who the user of the session is. Throws an ApiError. */
export async function verifySession(proof: Proof) {
  const response = await fetch('/api/session/verify', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(proof) }).catch((error: unknown) => {
    throw ApiError.offline(error);
  });
  if (!response.ok) throw await ApiError.of(response);
}
