package words

import "unicode"

// Blank reports whether text is empty or shows nothing.
func Blank(text string) bool {
	for _, r := range text {
		if !Invisible(r) {
			return false
		}
	}
	return true
}

// Invisible reports whether r shows nothing by itself: a space of any width, a control, a mark of the
// direction of writing, a joiner, a filler.
func Invisible(r rune) bool {
	switch {
	case r > ' ' && r < unicode.MaxASCII:
		return false
	case r == '\u2800', r == '\U0001D159': // the blank of Braille, the null note head
		return true
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // format characters with a glyph
		return false
	}
	return unicode.In(r, unicode.Z, unicode.Cc, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
