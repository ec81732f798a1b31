// The types of a Project, which "imprimatur types" writes, and what follows from them.

/** What createClient needs to know of a Project: the interface Schema of "imprimatur types". */
export interface AnySchema {
  collections: object;
  singleton: string;
  locale: string;
  change: object;
}

/** A Project of which no types are known. */
export interface Untyped {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  collections: Record<string, { id: number; locale: string; publishedAt: string | null; [name: string]: any }>;
  singleton: string;
  locale: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  change: { op: "put" | "delete" | "media" | "mediaDeleted" | "reset"; [name: string]: any };
}

export type Slug<S extends AnySchema> = keyof S["collections"] & string;

/** A path of the parameter fields: "title", "author.name", or "*" for every member. */
export type Path<E> = "*" | (keyof E & string) | `${keyof E & string}.${string}`;

type First<P> = P extends `${infer Head}.${string}` ? Head : P;

/** A related entry that is deeper than the parameter depth. */
interface Reference {
  id: number;
  collection: string;
  _collection?: undefined;
}

/** A value of which a response shows some members. */
type Part<V> = V extends readonly (infer I)[] ? Part<I>[] : V extends Reference ? V : V extends object ? Partial<V> : V;

/** An entry with the members that the parameter fields names. */
export type Shown<E, F extends string> = [F] extends [never]
  ? E
  : string extends keyof E // no types are known
  ? E
  : "*" extends F
    ? { [Name in keyof E]: Name extends First<Exclude<F, keyof E>> ? Part<E[Name]> : E[Name] }
    : { [Name in keyof E as Name extends "id" | "locale" | First<F> ? Name : never]: Name extends F | "id" | "locale" ? E[Name] : Part<E[Name]> };

/** The values that conditions compare with a value of the type V: a relation and a medium are their id. */
type Comparable<V> = V extends readonly (infer I)[] ? Comparable<I> : V extends string | number | boolean ? V : V extends object ? number : never;

interface Operators<V> {
  not?: V;
  in?: readonly V[];
  not_in?: readonly V[];
  lt?: V;
  lte?: V;
  gt?: V;
  gte?: V;
  between?: readonly [V, V];
  not_between?: readonly [V, V];
  like?: string;
  null?: true;
  not_null?: true;
}

/** Equality with a value, or operators, which all must hold. */
export type Condition<V> = V | Operators<V>;

/** Conditions by field, which all must hold. Paths such as "author.name" lead through relations and into items. */
export type Where<E> = { readonly [Name in keyof E & string]?: Condition<Comparable<NonNullable<E[Name]>>> } & {
  readonly [path: `${string}.${string}`]: Condition<string | number | boolean>;
} & { readonly _group?: number };

/** A key of the order: "title" or "title:desc". */
export type Sort<E> = (keyof E & string) | `${keyof E & string}:${"asc" | "desc"}` | `${string}.${string}`;

export interface Alternate {
  id: number;
  locale: string;
  slug?: string;
}

export interface Referrers {
  items: { id: number; locale: string; [name: string]: unknown }[];
  total: number;
  more?: true;
}
