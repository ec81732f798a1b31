// The collections of one Project, written by "imprimatur types". Do not edit.

/** A related entry that is deeper than the parameter depth. Only a Reference has the member "collection". */
export interface Reference { id: number; collection: string; _collection?: undefined }

/** A related entry in changes: the entry of the translation group that serves the reader's locale. */
export interface GroupReference { group: number; collection: string }

export interface MediaView {
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
}

/** A file of the library. */
export interface MediaItem extends MediaView {
  mimeType: string;
  hash: string;
  createdAt: string;
  folder: string;
}

export type Locale = "en" | "pt-BR";

/** An item of the component "2-columns". */
export interface _2Columns {
  left: ({ _type: "2-columns"; _key: string } & _2Columns)[];
}

/** An item of the component "hero". */
export interface Hero {
  /** As short as a headline. */
  title: string | null;
  image: MediaView | null;
}

/** An item of the component "seo". */
export interface Seo {
  keywords: string[];
}

export interface _2026Plans {
  id: number;
  locale: Locale;
  publishedAt: string | null; // null: a draft
  createdAt?: string; // only with timestamps=true
  updatedAt?: string; // only with timestamps=true
}

export interface A1B {
  id: number;
  locale: Locale;
  publishedAt: string | null; // null: a draft
  createdAt?: string; // only with timestamps=true
  updatedAt?: string; // only with timestamps=true
}

export interface A1B_2 {
  id: number;
  locale: Locale;
  publishedAt: string | null; // null: a draft
  createdAt?: string; // only with timestamps=true
  updatedAt?: string; // only with timestamps=true
}

export interface A1B2 {
  id: number;
  locale: Locale;
  publishedAt: string | null; // null: a draft
  createdAt?: string; // only with timestamps=true
  updatedAt?: string; // only with timestamps=true
}

export interface Collections_2 {
  id: number;
  locale: Locale;
  publishedAt: string | null; // null: a draft
  createdAt?: string; // only with timestamps=true
  updatedAt?: string; // only with timestamps=true
}

export interface EveryType {
  id: number;
  locale: Locale;
  publishedAt: string | null; // null: a draft
  createdAt?: string; // only with timestamps=true
  updatedAt?: string; // only with timestamps=true
  blocksField: ({ _type: "hero"; _key: string } & Hero | { _type: "2-columns"; _key: string } & _2Columns)[];
  blockss: ({ _type: "hero"; _key: string } & Hero | { _type: "2-columns"; _key: string } & _2Columns)[];
  booleanField: boolean | null;
  booleans: boolean[];
  colorField: string | null;
  colors: string[];
  dateField: string | null;
  dates: string[];
  datetimeField: string | null;
  datetimes: string[];
  emailField: string | null;
  emails: string[];
  enumerationField: "news" | "a \"quoted\" \\ choice" | "*/ \u003cR\u0026D\u003e" | "é\u2028" | null;
  enumerations: ("news" | "a \"quoted\" \\ choice" | "*/ \u003cR\u0026D\u003e" | "é\u2028")[];
  groupField: Seo | null;
  groups: (Seo & { _key: string })[];
  jsonField: unknown;
  jsons: unknown[];
  longtextField: string | null;
  longtexts: string[];
  mediaField: MediaView | null;
  medias: MediaView[];
  numberField: number | null;
  numbers: number[];
  relationField: EveryType | Reference | null;
  relations: (EveryType | Reference)[];
  richtextField: string | null;
  richtexts: string[];
  slugField: string | null;
  slugs: string[];
  textField: string | null;
  texts: string[];
  timeField: string | null;
  times: string[];
  urlField: string | null;
  urls: string[];
  gone: never | null;
  related: ({ _collection: "every-type" } & EveryType | { _collection: "a1-b" } & A1B_2 | Reference)[];
  about: { _collection: "a-1-b" } & A1B | Reference | null;
  /** One of * / them. Or none. */
  class: "one"[];
}

/** The entries of each collection, by its slug. */
export interface Collections {
  "2026-plans": _2026Plans;
  "a-1-b": A1B;
  "a1-b": A1B_2;
  "a1-b-2": A1B2;
  "collections": Collections_2;
  "every-type": EveryType;
}

/** The entries of collections with a single entry. */
export type Singleton = "2026-plans";

/** A value in changes: relations name a translation group, and media that are not sealed their id. */
export type Changed<V> = V extends readonly (infer I)[] ? Changed<I>[]
  : V extends MediaView ? MediaView | { id: number }
  : V extends Reference | { id: number; locale: Locale } ? GroupReference
  : V extends object ? { [Name in keyof V]: Changed<V[Name]> }
  : V;

/** What GET /changes lists. */
export type Change =
  | { [Slug in keyof Collections]: {
      op: "put"; id: number; group: number; collection: Slug; locale: Locale; contentHash: string; publishedAt: string;
      entry: { [Name in keyof Collections[Slug]]: Changed<Collections[Slug][Name]> }; tags?: string[];
    } }[keyof Collections]
  | { op: "delete"; id: number; group: number; collection: keyof Collections; locale: Locale; tags?: string[] }
  | { op: "media"; media: MediaItem; tags?: string[] }
  | { op: "mediaDeleted"; id: number; tags?: string[] }
  | { op: "reset"; collection?: string };

/** All types of the Project, for createClient of @imprimatur/client. */
export interface Schema { collections: Collections; singleton: Singleton; locale: Locale; change: Change }
