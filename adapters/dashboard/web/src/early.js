/*
 * Runs while the scripts of the page load. It fetches the texts of the user's language, which the
 * page would request only after its scripts have run.
 */
const files = TEXTS; // The build puts the files here, by language and area.
const settings = JSON.parse(localStorage.getItem('imprimatur.settings') ?? '{}');
if (['light', 'dark'].includes(settings.theme)) document.documentElement.dataset.theme = settings.theme; // before the first paint, if it comes in time
const language = [settings.language, ...navigator.languages.map((tag) => tag.slice(0, 2)), 'en'].find((tag) => tag in files);
const [, area] = [
  [/^\/dashboard\/(inbox)?$/, 'inbox'],
  [/^\/dashboard\/review\//, 'review'],
  [/\/collections\/\d+$/, 'content'],
  [/\/entries\/\d+$/, 'editor'],
].find(([path]) => path.test(location.pathname)) ?? [];
for (const file of ['common', area].map((one) => files[language][one])) {
  if (file) document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: file }));
}

/*
 * The first use of these browser features is slow, 25 ms in total; later uses are fast. All pages
 * use them in their first frame, which appears 0.1 s earlier on a slow processor.
 */
new Intl.NumberFormat().format(0);
new Intl.Locale('en').maximize();
