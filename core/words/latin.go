package words

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// latin has the small Latin letters without a decomposition, each followed by the letters or digits for which
// unidecode takes it, in lower case (https://metacpan.org/pod/Text::Unidecode and its ports, by 2026). Letters
// that unidecode writes without letters and digits, such as the neutral vowel ə, are not among them. No form
// is longer in bytes than its letter, so that a folded text is not longer either.
const latin = `
æae ðd øo þth đd ħh ıi ĸk łl ŋng œoe ŧt ƀb ƃb ƅ6 ƈc ƌd ƍd ƒf ƕhv ƙk ƚl ƛl ƞn ƣoi ƥp ƨ2 ƪsh ƫt ƭt ƴy
ƶz ƹzh ƺzh ƻ2 ƽ5 ƾts ƿw ǥg ȝy ȡd ȣou ȥz ȴl ȵn ȶt ȷj ȸdb ȹqp ȼc ȿs ɀz ɇe ɉj ɋq ɍr ɏy ɐa ɑa ɒa ɓb ɔo
ɕc ɖd ɗd ɘe ɛe ɜe ɝe ɞe ɟj ɠg ɡg ɢg ɣg ɤu ɥy ɦh ɧh ɨi ɩi ɪi ɫl ɬl ɭl ɮlz ɯw ɰw ɱm ɲn ɳn ɴn ɵo ɶoe ɷo
ɸf ɹr ɺr ɻr ɼr ɽr ɾr ɿr ʀr ʁr ʂs ʃs ʄj ʅs ʆs ʇt ʈt ʉu ʊu ʋv ʍw ʎy ʏy ʐz ʑz ʒz ʓz ʗc ʙb ʚe ʛg ʜh ʝj
ʞk ʟl ʠq ʣdz ʤdz ʥdz ʦts ʧts ʨtc ʩfn ʪls ʫlz ʬww ʮh ʯh ᴀa ᴁae ᴂae ᴃb ᴄc ᴅd ᴆd ᴇe ᴈe ᴉi ᴊj ᴋk ᴌl ᴍm
ᴎn ᴏo ᴑo ᴓo ᴔoe ᴕou ᴘp ᴙr ᴚr ᴛt ᴜu ᴝu ᴞu ᴟm ᴠv ᴡw ᴢz ᴯb ᴻn ᵎi ᵬb ᵭd ᵮf ᵯm ᵰn ᵱp ᵲr ᵳr ᵴs ᵵt ᵶz ᵷg ᵽp
ᶀb ᶁd ᶂf ᶃg ᶄk ᶅl ᶆm ᶇn ᶈp ᶉr ᶊs ᶌv ᶍx ᶎz ẜs ẝs ẟd ỻll ỽv ỿy ⅎf ⱡl ⱥa ⱦt ⱨh ⱪk ⱬz
`

// latinForms returns the forms of latin by their letters.
var latinForms = sync.OnceValue(func() map[rune]string {
	forms := map[rune]string{}
	for entry := range strings.FieldsSeq(latin) {
		letter, size := utf8.DecodeRuneInString(entry)
		forms[letter] = entry[size:]
	}
	return forms
})

// plainLatin returns text with the forms of its Latin letters.
func plainLatin(text string) string {
	if !strings.ContainsFunc(text, isOtherLatin) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if form, has := latinForms()[r]; has && isOtherLatin(r) {
			b.WriteString(form)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isOtherLatin reports whether r may be in latin: the test is faster than a map.
func isOtherLatin(r rune) bool { return r >= utf8.RuneSelf && unicode.Is(unicode.Latin, r) }
