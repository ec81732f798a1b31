// The client of one Project.

import { ApiError } from "./errors.js";
import { type LiveMessage, listen } from "./live.js";
import { image, srcset } from "./pictures.js";
import type { Alternate, AnySchema, Condition, Path, Referrers, Shown, Slug, Sort, Untyped, Where } from "./schema.js";
import { newTransport, sleep, type TransportOptions } from "./transport.js";

export { ApiError, type Fault } from "./errors.js";
export type { LiveItem, LiveMessage } from "./live.js";
export type { Picture, Ratio, Rendition, Size, Width } from "./pictures.js";
export type { Alternate, AnySchema, Condition, Path, Referrers, Shown, Sort, Untyped, Where } from "./schema.js";
export type { Cache, Kept } from "./transport.js";

export interface ClientOptions<Locale extends string = string> extends TransportOptions {
  /** The address of the service, such as "https://cms.example.org". */
  url: string;
  /** The project's UUID. */
  project: string;
  /** The locale of reads that name none. */
  locale?: Locale;
}

export interface ReadOptions<E, F extends string, A extends boolean, R extends string> {
  fields?: readonly (F & Path<E>)[];
  depth?: 0 | 1 | 2 | 3;
  /** Adds the public translations of each entry. */
  alternates?: A;
  /** Adds the entries that refer to each entry, such as ["articles.author:5"]. */
  referrers?: readonly R[];
  timestamps?: boolean;
  signal?: AbortSignal;
}

export interface Selection<E, Locale extends string> {
  where?: Where<E>;
  or?: readonly Where<E>[];
  search?: string;
  locale?: Locale | "*";
  /** What is read besides published versions takes a token with allowDrafts. */
  state?: "published" | "only_draft" | "with_draft";
}

export interface ListOptions<E, Locale extends string, F extends string, A extends boolean, R extends string>
  extends Selection<E, Locale>, ReadOptions<E, F, A, R> {
  sort?: Sort<E> | readonly Sort<E>[];
  limit?: number;
  offset?: number;
  /** meta.next of the page before. */
  after?: string;
  /** Adds meta.total. */
  count?: boolean;
}

export interface SingleOptions<E, Locale extends string, F extends string, A extends boolean, R extends string> extends ReadOptions<E, F, A, R> {
  locale?: Locale;
  state?: "published" | "only_draft" | "with_draft";
  /** What readers saw at that time; it takes a token with allowHistory. */
  asOf?: string;
}

export interface Page<E> {
  data: E[];
  meta: { offset: number; limit: number; hasMore: boolean; next?: string; total?: number };
}

/** An entry as the options show it. */
export type Entry<E, F extends string, A extends boolean, R extends string> = Shown<E, F> &
  (A extends true ? { _alternates: Alternate[] } : unknown) &
  ([R] extends [never] ? unknown : { _referrers: Record<R extends `${infer Field}:${string}` ? Field : R, Referrers> });

export interface Changes<Change> {
  data: Change[];
  /** next is the cursor to store once the page is applied. */
  meta: { next: string; hasMore: boolean };
}

export interface MediaItem {
  id: number;
  fileName: string;
  fullUrl: string;
  thumbUrl: string | null;
  thumbWebpUrl: string | null;
  fullWebpUrl: string | null;
  caption: string | null;
  tags: string[];
  size: number;
  width: number | null;
  height: number | null;
  alt: string | null;
  focalPoint: { x: number; y: number } | null;
  color: string | null;
  mimeType: string;
  hash: string;
  createdAt: string;
  folder: string;
}

export interface Found {
  collection: string;
  id: number;
  locale: string;
  title: string;
  /** A part of a text around the words that were found. */
  excerpt: { text: string; found: boolean }[];
  /** The entry with the fields that the search names. */
  entry?: { id: number; locale: string; [field: string]: unknown };
}

export interface Count {
  value: string | boolean | { id: number; collection: string };
  count: number;
}

/** The entry that has a slug now, or had it last. */
export interface Former<Locale extends string> {
  id: number;
  locale: Locale;
  slug: string;
}

export interface ProjectInfo<Locale extends string> {
  uuid: string;
  name: string;
  defaultLocale: Locale;
  locales: Locale[];
  fallbacks: Partial<Record<Locale, Locale[]>>;
}

export interface Client<S extends AnySchema> {
  /** Returns the project with its locales and fallbacks. */
  project(options?: { signal?: AbortSignal }): Promise<ProjectInfo<S["locale"]>>;

  /** Returns one page of a list. */
  entries<C extends Slug<S>, const F extends string = never, A extends boolean = false, const R extends string = never>(
    collection: C,
    options?: ListOptions<S["collections"][C], S["locale"], F, A, R>,
  ): Promise<Page<Entry<S["collections"][C], F, A, R>>>;

  /** Returns all entries of a list, page by page as they are asked for. */
  all<C extends Slug<S>, const F extends string = never, A extends boolean = false, const R extends string = never>(
    collection: C,
    options?: Omit<ListOptions<S["collections"][C], S["locale"], F, A, R>, "offset" | "count">,
  ): AsyncGenerator<Entry<S["collections"][C], F, A, R>, void, undefined>;

  /** Returns an entry by its id. An ApiError has the status 404 if readers do not see it. */
  entry<C extends Slug<S>, const F extends string = never, A extends boolean = false, const R extends string = never>(
    collection: C,
    id: number,
    options?: SingleOptions<S["collections"][C], S["locale"], F, A, R>,
  ): Promise<Entry<S["collections"][C], F, A, R>>;

  /** Returns the entry of a collection with a single one. */
  singleton<C extends S["singleton"] & Slug<S>, const F extends string = never, A extends boolean = false, const R extends string = never>(
    collection: C,
    options?: SingleOptions<S["collections"][C], S["locale"], F, A, R>,
  ): Promise<Entry<S["collections"][C], F, A, R>>;

  /** Returns how many entries have each value of a field; dates as "publishedAt:month". */
  counts<C extends Slug<S>>(
    collection: C,
    by: (keyof S["collections"][C] & string) | `${keyof S["collections"][C] & string}:${"year" | "month"}`,
    options?: Selection<S["collections"][C], S["locale"]> & { zone?: string; signal?: AbortSignal },
  ): Promise<Count[]>;

  /** Returns the entry that had the slug last, for a redirect. An ApiError has the status 404 if readers see none. */
  former<C extends Slug<S>>(collection: C, slug: string, options?: { locale?: S["locale"]; signal?: AbortSignal }): Promise<Former<S["locale"]>>;

  /** Searches several collections. */
  search(
    query: string,
    options?: { collections?: readonly Slug<S>[]; locale?: S["locale"] | "*"; limit?: number; fields?: readonly string[]; after?: string; signal?: AbortSignal },
  ): Promise<{ data: Found[]; meta: { limit: number; hasMore: boolean; next?: string } }>;

  /**
   * Returns what a copy of the content has to apply: everything without since, then what has changed. It ends with
   * the last page; with follow it goes on, and asks again when the service says so. Store meta.next of each page
   * with the copy.
   */
  changes(options?: {
    since?: string;
    collection?: Slug<S>;
    locale?: S["locale"];
    limit?: number;
    follow?: boolean;
    signal?: AbortSignal;
  }): AsyncGenerator<Changes<S["change"]>, void, undefined>;

  /**
   * Returns what changes, as it changes, without content. It connects again when the connection ends, and then
   * repeats nothing. It ends with the signal, or with an ApiError that waiting does not cure.
   */
  live(options?: { since?: string; signal?: AbortSignal }): AsyncGenerator<LiveMessage, void, undefined>;

  /** Returns an item of the library by its id, or a page of the library. */
  media(id: number, options?: { signal?: AbortSignal }): Promise<MediaItem>;
  media(options?: {
    page?: number;
    perPage?: number;
    search?: string;
    folder?: string;
    type?: "image" | "video" | "audio" | "document";
    signal?: AbortSignal;
  }): Promise<{ data: MediaItem[]; meta: { page: number; perPage: number; hasMore: boolean; total: number } }>;

  /** Returns the address of a picture in another size. */
  image: typeof image;
  /** Returns the attribute srcset of a picture. */
  srcset: typeof srcset;

  /** Sends a GraphQL document, and returns its data. Errors are an ApiError with the code of the first one. */
  graphql<Data = unknown>(document: string, variables?: Record<string, unknown>, options?: { signal?: AbortSignal }): Promise<Data>;
}

/** Returns a client of the project. S is the interface Schema of "imprimatur types". */
export function createClient<S extends AnySchema = Untyped>(options: ClientOptions<S["locale"]>): Client<S> {
  const service = options.url.replace(/\/+$/, "");
  const base = `${service}/public/v2/projects/${encodeURIComponent(options.project)}`;
  const transport = newTransport(options);

  const read = async <T>(path: string, { signal, ...parameters }: Options): Promise<T> => (await transport.get<T>(base + path, flatten(parameters), signal)).value;
  const inLocale = (o: Options = {}): Options => ({ locale: options.locale, ...o });
  const list = (slug: string) => `/collections/${encodeURIComponent(slug)}/entries`;
  const entries = (slug: string, o?: Options) => read<Page<unknown>>(list(slug), inLocale(o));

  async function* all(slug: string, o: Options = {}) {
    let after = o.after;
    do {
      const page = await entries(slug, { limit: 100, ...o, after });
      yield* page.data;
      after = page.meta.next;
    } while (after);
  }

  async function* changes({ follow, signal, ...parameters }: Options = {}) {
    for (let since = parameters.since; ; ) {
      const { value, retryAfter } = await transport.get<Changes<unknown>>(`${base}/changes`, flatten({ ...parameters, since }), signal);
      if (value.data.length > 0 || value.meta.next !== since) yield value;
      since = value.meta.next;
      if (value.meta.hasMore) continue;
      if (!follow) return;
      await sleep(retryAfter ?? 5, signal);
    }
  }

  async function graphql(query: string, variables?: Record<string, unknown>, o: Options = {}) {
    interface Answer {
      data?: unknown;
      errors?: { message: string; path?: unknown[]; extensions?: { code?: string } }[];
    }
    const { data, errors } = await transport.post<Answer>(`${service}/public/v2/graphql`, { query, variables }, o.signal);
    const first = errors?.[0];
    if (!first) return data;
    const faults = errors.map(({ message, path }) => (path ? { message, location: path.join(".") } : { message }));
    throw new ApiError(200, first.extensions?.code ?? "", first.message, faults, null, null);
  }

  const client = {
    project: (o: Options = {}) => read("", o),
    entries,
    all,
    entry: (slug: string, id: number, o?: Options) => read(`${list(slug)}/${id}`, o ?? {}),
    singleton: (slug: string, o?: Options) => read(`/collections/${encodeURIComponent(slug)}/entry`, inLocale(o)),
    counts: async (slug: string, by: string, o?: Options) => (await read<{ data: Count[] }>(`${list(slug)}/counts`, inLocale({ ...o, by }))).data,
    former: (slug: string, former: string, o?: Options) => read(`/collections/${encodeURIComponent(slug)}/former`, inLocale({ ...o, slug: former })),
    search: (q: string, o?: Options) => read("/search", inLocale({ ...o, q })),
    changes,
    live: (o: Options = {}) => listen(transport, `${base}/changes/live`, o.since, o.signal),
    media: (first?: number | Options, o: Options = {}) => (typeof first === "number" ? read(`/media/${first}`, o) : read("/media", first ?? {})),
    image,
    srcset,
    graphql,
  };
  return client as unknown as Client<S>;
}

/** The options of any read, as the implementation sees them. */
interface Options {
  [name: string]: unknown;
  where?: Record<string, Condition<unknown>>;
  or?: readonly Record<string, Condition<unknown>>[];
  since?: string | undefined;
  after?: string | undefined;
  signal?: AbortSignal;
}

/**
 * Yields the options as parameters of the query: lists joined by commas, conditions in brackets. Options that are undefined
 * are left out. Conditions never are, because the answer would then have entries that were not asked for.
 */
function* flatten({ where, or, ...rest }: Options): Generator<[string, string]> {
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) yield [name, `${value}`];
  }
  if (where) yield* conditions("where", where);
  if (or?.length === 0) throw new TypeError("or has no conditions");
  for (const [i, group] of (or ?? []).entries()) {
    if (Object.keys(group).length === 0) throw new TypeError(`or[${i}] has no conditions`);
    yield* conditions(`or[${i}]`, group);
  }
}

function* conditions(prefix: string, group: Record<string, Condition<unknown>>): Generator<[string, string]> {
  for (const [field, condition] of Object.entries(group)) {
    const at = `${prefix}[${field}]`;
    if (typeof condition !== "object" || condition === null) {
      yield [at, operand(at, condition)];
      continue;
    }
    const operators = Object.entries(condition);
    if (operators.length === 0) throw new TypeError(`${at} has no value`);
    for (const [operator, value] of operators) {
      const by = `${at}[${operator}]`;
      if (!Array.isArray(value)) yield [by, operand(by, value)];
      else if (value.length === 0) yield [by, ""]; // which the service refuses
      else for (const one of value) yield [`${by}[]`, operand(by, one)];
    }
  }
}

function operand(at: string, value: unknown): string {
  if (value === undefined || value === null) throw new TypeError(`${at} is ${value}`);
  return `${value}`;
}
