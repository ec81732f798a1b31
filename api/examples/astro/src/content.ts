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

export type Locale = "en" | "de" | "fr" | "ja" | "pt";

/** An item of the component "action". */
export interface Action {
  label: string | null;
  url: string | null;
}

/** An item of the component "gallery". */
export interface Gallery {
  title: string | null;
  images: MediaView[];
}

/** An item of the component "hero". */
export interface Hero {
  title: string | null;
  lead: string | null;
  image: MediaView | null;
}

/** An item of the component "quote". */
export interface Quote {
  words: string | null;
  by: string | null;
}

/** An item of the component "related". */
export interface Related {
  title: string | null;
  entries: (Articles | Reference)[];
}

/** An item of the component "seo". */
export interface Seo {
  title: string | null;
  description: string | null;
}

/** An item of the component "text". */
export interface Text {
  body: string | null;
}

export interface Articles {
  id: number;
  locale: Locale;
  publishedAt: string | null; // null: a draft
  createdAt?: string; // only with timestamps=true
  updatedAt?: string; // only with timestamps=true
  title: string | null;
  slug: string | null;
  summary: string | null;
  body: string | null;
  views: number | null;
  rating: number | null;
  publishedOn: string | null;
  category: string | null;
  tags: string[];
  featured: boolean | null;
  country: Countries | Reference | null;
  cover: MediaView | null;
}

export interface Countries {
  id: number;
  locale: Locale;
  publishedAt: string | null; // null: a draft
  createdAt?: string; // only with timestamps=true
  updatedAt?: string; // only with timestamps=true
  code: string | null;
  name: string | null;
  official: string | null;
  region: string | null;
  subregion: string | null;
  capital: string[];
  languages: string[];
  currencies: string[];
  area: number | null;
  independent: boolean | null;
  landlocked: boolean | null;
  latlng: unknown;
  borders: (Countries | Reference)[];
}

export interface Pages {
  id: number;
  locale: Locale;
  publishedAt: string | null; // null: a draft
  createdAt?: string; // only with timestamps=true
  updatedAt?: string; // only with timestamps=true
  title: string | null;
  slug: string | null;
  body: ({ _type: "hero"; _key: string } & Hero | { _type: "text"; _key: string } & Text | { _type: "quote"; _key: string } & Quote | { _type: "gallery"; _key: string } & Gallery | { _type: "related"; _key: string } & Related | { _type: "action"; _key: string } & Action)[];
  seo: Seo | null;
}

/** The entries of each collection, by its slug. */
export interface Collections {
  "articles": Articles;
  "countries": Countries;
  "pages": Pages;
}

/** The entries of collections with a single entry. */
export type Singleton = never;

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
