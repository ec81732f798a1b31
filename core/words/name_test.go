package words_test

import (
	"strings"
	"testing"

	"imprimatur/core/words"
)

func TestNameFault(t *testing.T) {
	t.Parallel()
	const empty, control, long = "must not be empty", "must be text without control characters", "must have at most 200 characters"
	for name, want := range map[string]string{
		"Ann": "", "O\u2019Neill \u674e": "", "\u05d0\u200f!": "", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645": "", "\U0001f469\u200d\U0001f4bb": "", strings.Repeat("\u00e9", 200): "",
		"": empty, " \u3000\u200b": empty, "\u2028": empty, strings.Repeat("x", 201): long,
		"a\nb": control, "a\tb": control, "a\u0085b": control, "a\u2028b": control, "a\u2029b": control, "a\x7fb": control, "a\x00b": control, "a\xffb": control,
		"\u202egnp.exe": control, "a\u202ab": control, "a\u2066b": control, "a\u2069b": control,
	} {
		if got := words.NameFault(name); got != want {
			t.Errorf("%.20q: %q, want %q", name, got, want)
		}
	}
}
