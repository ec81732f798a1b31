// Messages of webhooks, as the Standard Webhooks specification signs them.

export interface Event {
  id: number;
  type: string;
  at: string;
  projectId?: number;
  collection?: string;
  entryId?: number;
  translationGroup?: number;
  locale?: string;
  slug?: string;
  contentHash?: string;
  tags?: string[];
  [name: string]: unknown;
}

export interface Message<Data = Event & { events?: Event[]; truncated?: boolean }> {
  /** The type of the event, "batch" with several of them, or "webhook.test". */
  type: string;
  timestamp: string;
  data: Data;
}

/** A message that is not signed with the secret, or not lately. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

export interface VerifyOptions {
  /** How many seconds the signature may be old, or ahead of this clock: 300 by default. */
  tolerance?: number;
  /** The present time in milliseconds. */
  now?: number;
}

/**
 * Returns the message of a webhook once its signature is right. body is the body as it came, before any parsing.
 * While a secret is rotated both may be given.
 */
export async function verify<M extends { type: string } = Message>(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<M> {
  const header = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== "string" || value === "") throw new WebhookError(`no header ${name}`);
    return value;
  };
  const id = header("webhook-id");
  const timestamp = header("webhook-timestamp");
  const signatures = header("webhook-signature").split(" ");
  const { tolerance = 300, now = Date.now() } = options;
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > tolerance) throw new WebhookError("the message is too old or from the future");

  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const one of typeof secret === "string" ? [secret] : secret) {
    const key = await crypto.subtle.importKey("raw", bytes(one.replace(/^whsec_/, "")), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const signature of signatures) {
      const [version, value = ""] = signature.split(",", 2);
      if (version === "v1" && (await crypto.subtle.verify("HMAC", key, bytes(value), signed))) return JSON.parse(text) as M;
    }
  }
  throw new WebhookError("the message is not signed with this secret");
}

/** Decodes base64; a text that is none has no bytes. */
function bytes(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
