package contract

import "strings"

// hostileTexts are texts that databases, collations and case folding often handle wrongly. They are
// short enough for fields whose values are compared.
var hostileTexts = []string{
	"", " ", "a", "A", "b", "Z", "aa", "ab", "a b", "a-b", "a_b", "a%b", "%", "_", "\\", "\\%", "'", "\"", "`", "--", "{}", "[]", "null", "0",
	"ß", "\u1e9e", "ss", "SS", "\u0130", "i", "\u0131", "I", "i\u0307", "\u017f", "s", "\u212a", "k", "K", "σ", "ς", "Σ",
	"\u0149", "\u02bcn", "\ufb01", "FI", "\u01c5", "\u01c6", "\u1f80", "\u1f88", "\u13a0", "\uab70",
	"\u00e9", "e\u0301", "\u00c9", "E\u0301", "\u212b", "\u00c5", "a\u0300\u0323", "a\u0323\u0300",
	"שלום", "مرحبا\u200f!", "\u202egnirts", "日本語", "ﾆﾎﾝ", "👩\u200d👩\u200d👧", "🇫🇷", "😀", "𝔸", "\uffff", "\U0010ffff", "\ue000",
	"\u2028", "\u2029", "\u0001", "\t", "\n", "\r\n", "\u007f", "\u0085", "\u00a0", "\ufeff", "<b>&amp;</b>",
	strings.Repeat("long ", 200), strings.Repeat("long ", 199) + "a", strings.Repeat("long ", 199) + "b",
	strings.Repeat("é", 500), strings.Repeat("é", 499) + "z", "x" + strings.Repeat("é", 499), "x" + strings.Repeat("é", 497) + "😀",
	strings.Repeat("😀", 250), strings.Repeat("😀", 249) + "!", strings.Repeat("a", 1000), strings.Repeat("A", 1000), strings.Repeat("각", 111),
}
