package command

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

func TestPrintable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain, Äpfel, 日本語 \"'\\":                "plain, Äpfel, 日本語 \"'\\",
		"\x1b[2J\x1b]0;title\a":                  `\x1b[2J\x1b]0;title\a`,
		"a\r\nb\tc\x00\x7f":                      `a\r\nb\tc\x00\x7f`,
		"\u009b1m\u202e\u2028\ufeff\u200b\u00a0": `\u009b1m\u202e\u2028\ufeff\u200b\u00a0`,
		"half \xff\xc3":                          `half \xff\xc3`,
	} {
		require.Equal(t, want, printable(text))
	}
	require.Equal(t, "a\nb\\x1b", printableLines("a\nb\x1b"))
}

// Messages about values from a file show no control characters.
func TestSentenceIsPrintable(t *testing.T) {
	t.Parallel()
	err := core.Invalid(core.FieldError{Location: "a\x1b", Message: "unknown \x1b[31mfield\nvalid: all"})
	require.Equal(t, err.Error()[:0]+"\n  a\\x1b: unknown \\x1b[31mfield\\nvalid: all", Sentence(err)[len(Sentence(core.Invalid())):])
	require.Equal(t, "setting \\x1b[2J\nanother", Sentence(errors.New("setting \x1b[2J\nanother")))
}
