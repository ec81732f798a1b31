import { ApiError } from '../api/error';
import type { Area, Language, Texts } from './languages';

/** The files of the texts. The query makes each area of a language a file of its own. */
const files: Record<Area, Record<string, () => Promise<unknown>>> = {
  account: import.meta.glob('./??.ts', { query: '?account', import: 'account' }),
  audit: import.meta.glob('./??.ts', { query: '?audit', import: 'audit' }),
  changes: import.meta.glob('./??.ts', { query: '?changes', import: 'changes' }),
  comments: import.meta.glob('./??.ts', { query: '?comments', import: 'comments' }),
  common: import.meta.glob('./??.ts', { query: '?common', import: 'common' }),
  conditions: import.meta.glob('./??.ts', { query: '?conditions', import: 'conditions' }),
  content: import.meta.glob('./??.ts', { query: '?content', import: 'content' }),
  editor: import.meta.glob('./??.ts', { query: '?editor', import: 'editor' }),
  events: import.meta.glob('./??.ts', { query: '?events', import: 'events' }),
  faults: import.meta.glob('./??.ts', { query: '?faults', import: 'faults' }),
  inbox: import.meta.glob('./??.ts', { query: '?inbox', import: 'inbox' }),
  items: import.meta.glob('./??.ts', { query: '?items', import: 'items' }),
  media: import.meta.glob('./??.ts', { query: '?media', import: 'media' }),
  model: import.meta.glob('./??.ts', { query: '?model', import: 'model' }),
  notices: import.meta.glob('./??.ts', { query: '?notices', import: 'notices' }),
  overview: import.meta.glob('./??.ts', { query: '?overview', import: 'overview' }),
  people: import.meta.glob('./??.ts', { query: '?people', import: 'people' }),
  preview: import.meta.glob('./??.ts', { query: '?preview', import: 'preview' }),
  releases: import.meta.glob('./??.ts', { query: '?releases', import: 'releases' }),
  review: import.meta.glob('./??.ts', { query: '?review', import: 'review' }),
  settings: import.meta.glob('./??.ts', { query: '?settings', import: 'settings' }),
  tokens: import.meta.glob('./??.ts', { query: '?tokens', import: 'tokens' }),
  webhooks: import.meta.glob('./??.ts', { query: '?webhooks', import: 'webhooks' }),
  workflow: import.meta.glob('./??.ts', { query: '?workflow', import: 'workflow' }),
};

const areas = new Set<Area>(['common']); // in use
const loading = new Map<string, Promise<unknown>>(); // by language and area
const loaded = new Map<string, unknown>();
let current: Language = 'en';

/** The texts of an area, if they are loaded. */
export const loadedTexts = <A extends Area>(area: A, language: Language) => loaded.get(`${language} ${area}`) as Texts[A] | undefined;

/** Loads the texts of an area, unless they are loaded. The default language is the one in use. */
export function loadTexts<A extends Area>(area: A, language = current): Promise<Texts[A]> {
  const key = `${language} ${area}`;
  areas.add(area);
  if (!loading.has(key)) loading.set(key, fetchTexts(area, language, key));
  return loading.get(key) as Promise<Texts[A]>;
}

async function fetchTexts(area: Area, language: Language, key: string) {
  try {
    const texts = await files[area][`./${language}.ts`]!();
    loaded.set(key, texts);
    return texts;
  } catch (error) {
    loading.delete(key); // the next call tries again
    throw error;
  }
}

/** Waits for code and for the texts that it shows besides those of "common". They load at the same time. */
export async function withTexts<T>(code: Promise<T>, ...shown: Area[]): Promise<T> {
  try {
    const [module] = await Promise.all([code, ...shown.map((area) => loadTexts(area))]);
    return module;
  } catch (error) {
    // The router would reload the page to get newer code.
    throw navigator.onLine ? error : ApiError.offline(error);
  }
}

/** Changes the language in use and loads the areas in use in it. */
export async function changeLanguage(language: Language) {
  current = language;
  await Promise.all([...areas].map((area) => loadTexts(area, language)));
}
