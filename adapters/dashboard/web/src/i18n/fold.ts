/** The blocks of the marks that folded texts do not have: those of Latin, Greek, Cyrillic, Hebrew and Arabic. */
const accents = [
  [0x300, 0x36f], [0x483, 0x487], [0x591, 0x5c7], [0x610, 0x61a], [0x64b, 0x65f], [0x670, 0x670], [0x6d6, 0x6ed], [0x1ab0, 0x1aff], [0x1dc0, 0x1dff], [0x20d0, 0x20f0], [0xfb1e, 0xfb1e], [0xfe20, 0xfe2f],
] as const;
const isAccent = (mark: string) => accents.some(([first, last]) => first <= mark.codePointAt(0)! && mark.codePointAt(0)! <= last);

/** The small Latin letters without a decomposition, each followed by its form in ASCII; the same as in core/words/latin.go. */
const latin = `
æae ðd øo þth đd ħh ıi ĸk łl ŋng œoe ŧt ƀb ƃb ƅ6 ƈc ƌd ƍd ƒf ƕhv ƙk ƚl ƛl ƞn ƣoi ƥp ƨ2 ƪsh ƫt ƭt ƴy
ƶz ƹzh ƺzh ƻ2 ƽ5 ƾts ƿw ǥg ȝy ȡd ȣou ȥz ȴl ȵn ȶt ȷj ȸdb ȹqp ȼc ȿs ɀz ɇe ɉj ɋq ɍr ɏy ɐa ɑa ɒa ɓb ɔo
ɕc ɖd ɗd ɘe ɛe ɜe ɝe ɞe ɟj ɠg ɡg ɢg ɣg ɤu ɥy ɦh ɧh ɨi ɩi ɪi ɫl ɬl ɭl ɮlz ɯw ɰw ɱm ɲn ɳn ɴn ɵo ɶoe ɷo
ɸf ɹr ɺr ɻr ɼr ɽr ɾr ɿr ʀr ʁr ʂs ʃs ʄj ʅs ʆs ʇt ʈt ʉu ʊu ʋv ʍw ʎy ʏy ʐz ʑz ʒz ʓz ʗc ʙb ʚe ʛg ʜh ʝj
ʞk ʟl ʠq ʣdz ʤdz ʥdz ʦts ʧts ʨtc ʩfn ʪls ʫlz ʬww ʮh ʯh ᴀa ᴁae ᴂae ᴃb ᴄc ᴅd ᴆd ᴇe ᴈe ᴉi ᴊj ᴋk ᴌl ᴍm
ᴎn ᴏo ᴑo ᴓo ᴔoe ᴕou ᴘp ᴙr ᴚr ᴛt ᴜu ᴝu ᴞu ᴟm ᴠv ᴡw ᴢz ᴯb ᴻn ᵎi ᵬb ᵭd ᵮf ᵯm ᵰn ᵱp ᵲr ᵳr ᵴs ᵵt ᵶz ᵷg ᵽp
ᶀb ᶁd ᶂf ᶃg ᶄk ᶅl ᶆm ᶇn ᶈp ᶉr ᶊs ᶌv ᶍx ᶎz ẜs ẝs ẟd ỻll ỽv ỿy ⅎf ⱡl ⱥa ⱦt ⱨh ⱪk ⱬz
`;
const forms = new Map(latin.trim().split(/\s+/).map((entry) => [entry[0]!, entry.slice(1)]));
const others = /[\u0080-\u02af\u1d00-\u1eff\u2100-\u218f\u2c60-\u2c7f]/g;

const plain = (text: string) => text.normalize('NFKD').replace(/\p{Mn}/gu, (mark) => (isAccent(mark) ? '' : mark)).replace(/\p{Cc}/gu, '');

/** A text without accents and case, with ASCII for Latin letters, as the searches of the server compare texts. */
export function fold(text: string) {
  const caseless = plain(text).toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  return plain(caseless.replace(others, (letter) => forms.get(letter) ?? letter));
}

/** Whether a text contains a part, accents and case aside. */
export const contains = (text: string, part: string) => fold(text).includes(fold(part));

/** Where a text contains a part, accents and case aside. */
export function find(text: string, part: string): { from: number; to: number } | undefined {
  const wanted = fold(part);
  if (!wanted) return undefined;
  let folded = '';
  const places: number[] = []; // of each unit of folded
  let at = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const form = fold(segment);
    for (let i = 0; i < form.length; i++) places.push(at);
    folded += form;
    at += segment.length;
  }
  places.push(at);
  const found = folded.indexOf(wanted);
  if (found < 0) return undefined;
  const from = places[found]!;
  // The end is that of the character in which the part ends.
  return { from, to: places.slice(found + wanted.length).find((place) => place > places[found + wanted.length - 1]!) ?? text.length };
}
