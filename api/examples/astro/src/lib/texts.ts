import type { Locale } from '../content.js';

const en = {
  home: 'Home', newest: 'Newest', countries: 'Countries', search: 'Search', searchFor: 'Search for', nothing: 'Nothing found.', language: 'Language',
  untranslated: 'This page is not translated yet.', capital: 'Capital', area: 'Area', neighbours: 'Neighbours', articles: 'Articles', skip: 'Skip to the text',
  gone: 'This page does not exist.', preview: 'Preview: readers do not see this version.', menu: 'Pages', related: 'Related',
};

export type Texts = typeof en;

const all: Record<Locale, Texts> = {
  en,
  de: {
    home: 'Startseite', newest: 'Neueste', countries: 'Länder', search: 'Suche', searchFor: 'Suchen nach', nothing: 'Nichts gefunden.', language: 'Sprache',
    untranslated: 'Diese Seite ist noch nicht übersetzt.', capital: 'Hauptstadt', area: 'Fläche', neighbours: 'Nachbarn', articles: 'Artikel', skip: 'Zum Text',
    gone: 'Diese Seite gibt es nicht.', preview: 'Vorschau: Leser sehen diese Fassung nicht.', menu: 'Seiten', related: 'Dazu',
  },
  fr: {
    home: 'Accueil', newest: 'Récents', countries: 'Pays', search: 'Recherche', searchFor: 'Rechercher', nothing: 'Rien trouvé.', language: 'Langue',
    untranslated: "Cette page n'est pas encore traduite.", capital: 'Capitale', area: 'Superficie', neighbours: 'Voisins', articles: 'Articles', skip: 'Aller au texte',
    gone: "Cette page n'existe pas.", preview: 'Aperçu : les lecteurs ne voient pas cette version.', menu: 'Pages', related: 'À lire aussi',
  },
  ja: {
    home: 'ホーム', newest: '新着', countries: '国', search: '検索', searchFor: '検索する言葉', nothing: '見つかりません。', language: '言語',
    untranslated: 'このページはまだ翻訳されていません。', capital: '首都', area: '面積', neighbours: '隣国', articles: '記事', skip: '本文へ',
    gone: 'このページはありません。', preview: 'プレビュー：この版は公開されていません。', menu: 'ページ', related: '関連',
  },
  pt: {
    home: 'Início', newest: 'Recentes', countries: 'Países', search: 'Pesquisa', searchFor: 'Pesquisar', nothing: 'Nada encontrado.', language: 'Idioma',
    untranslated: 'Esta página ainda não foi traduzida.', capital: 'Capital', area: 'Área', neighbours: 'Vizinhos', articles: 'Artigos', skip: 'Ir para o texto',
    gone: 'Esta página não existe.', preview: 'Pré-visualização: os leitores não veem esta versão.', menu: 'Páginas', related: 'Relacionado',
  },
};

export const textsOf = (locale: Locale): Texts => all[locale];

const isLocale = (text: string | undefined): text is Locale => text !== undefined && text in all;

/** Returns the locale that an address names, or the default. */
export const localeOf = (text: string | undefined): Locale => (isLocale(text) ? text : 'en');

export const nameOf = (locale: Locale): string => new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;
