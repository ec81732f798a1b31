// Requests with retries, and responses that are kept with their ETags.

import { ApiError, type Fault } from "./errors.js";

/** A response that is kept. */
export interface Kept {
  etag: string;
  body: string;
}

/** Where responses are kept, by address. */
export interface Cache {
  get(address: string): Kept | undefined | Promise<Kept | undefined>;
  set(address: string, response: Kept): unknown;
}

export interface TransportOptions {
  /** The project's token. */
  token: string;
  /** Where responses are kept to be asked for only if they changed: by default in memory, the last 200. */
  cache?: Cache | false;
  /** In place of the global fetch. */
  fetch?: typeof fetch;
  /** How often a request is sent again after 429, 503 or a failure of the network: 3 by default. */
  retries?: number;
  /** The longest time in seconds to wait between two tries; the response is an error if the service asks for more. 30 by default. */
  maxWait?: number;
}

export type Parameters = Iterable<readonly [string, string]>;

export interface Transport {
  /** Returns the JSON of a read, and the seconds after which the service asks to be asked again. */
  get<T>(address: string, parameters: Parameters, signal?: AbortSignal): Promise<{ value: T; retryAfter: number | null }>;
  post<T>(address: string, body: unknown, signal?: AbortSignal): Promise<T>;
  /** Returns a response with its body unread, once it is a success. */
  open(address: string, init: RequestInit, signal?: AbortSignal): Promise<Response>;
}

export function newTransport(options: TransportOptions): Transport {
  const { token, cache = memory(200), retries = 3, maxWait = 30 } = options;

  async function open(address: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), Authorization: `Bearer ${token}` };
    for (let tries = 0; ; tries++) {
      let failure: unknown;
      let wait: number | null = null;
      try {
        const response = await (options.fetch ?? fetch)(address, { ...init, headers, signal: signal ?? null });
        if (response.ok || response.status === 304) return response;
        failure = await errorOf(response);
        if (response.status !== 429 && response.status !== 503) throw failure;
        wait = (failure as ApiError).retryAfter;
      } catch (error) {
        if (error === failure || signal?.aborted) throw error;
        failure = error; // of the network
      }
      wait ??= Math.min(2 ** tries / 2, maxWait);
      if (tries >= retries || wait > maxWait) throw failure;
      await sleep(wait * (1 + Math.random() / 5), signal);
    }
  }

  async function get<T>(path: string, parameters: Parameters, signal?: AbortSignal) {
    const query = new URLSearchParams([...parameters].map(([name, value]) => [name, value])).toString();
    const address = query ? `${path}?${query}` : path;
    const kept = cache ? await cache.get(address) : undefined;
    const response = await open(address, kept ? { headers: { "If-None-Match": kept.etag } } : {}, signal);
    const etag = response.headers.get("ETag");
    const current = response.status === 304 && kept !== undefined;
    const body = current ? kept.body : await response.text();
    if (cache && etag && !current) await cache.set(address, { etag, body });
    return { value: JSON.parse(body) as T, retryAfter: seconds(response) };
  }

  async function post<T>(address: string, body: unknown, signal?: AbortSignal): Promise<T> {
    const response = await open(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }, signal);
    return (await response.json()) as T;
  }

  return { get, post, open };
}

/** Keeps the last responses in memory. */
function memory(size: number): Cache {
  const responses = new Map<string, Kept>();
  return {
    get: (address) => responses.get(address),
    set(address, response) {
      responses.delete(address);
      responses.set(address, response);
      for (const oldest of responses.keys()) {
        if (responses.size <= size) break;
        responses.delete(oldest);
      }
    },
  };
}

function seconds(response: Response): number | null {
  const header = response.headers.get("Retry-After");
  return header !== null && /^\d+$/.test(header) ? Number(header) : null;
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  let problem: { code?: string; title?: string; detail?: string; errors?: Fault[]; requestId?: string } = {};
  try {
    problem = JSON.parse(text);
  } catch {
    // Not from the service: a proxy, for example.
  }
  const message = problem.detail ?? problem.title ?? `status ${response.status}`;
  return new ApiError(response.status, problem.code ?? "", message, problem.errors ?? [], problem.requestId ?? response.headers.get("X-Request-Id"), seconds(response));
}

/** Waits, or throws the reason of the signal when it is aborted before. */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
