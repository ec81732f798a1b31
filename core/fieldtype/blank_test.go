package fieldtype_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/fieldtype"
)

func TestBlank(t *testing.T) {
	t.Parallel()
	for name, c := range map[fieldtype.Name]struct{ blank, shown []string }{
		"text": {
			[]string{"", " ", "\t\n", "\u00a0", "\u2003\u3000", "\u200b", "\ufeff", "\u00ad", "\u2060\u180e", "\u202e\u2066", "\u2800", "\u3164\u115f", "\ufe0f", "\U000e0020"},
			[]string{"a", ".", " a ", "\u200bא", "🎉", "0", "\u0600", "\u0301"},
		},
		"richtext": {
			[]string{"", "<p></p>", "<p>&nbsp;</p>", "<p> <br></p><ul><li></li></ul>", "<p>&#8203;</p>", "<!-- a --><div></div>", `<a href="/x"></a>`, "<p><strong> </strong></p>"},
			[]string{"a", "<p>&lt;</p>", `<p><img src="/a.png"></p>`, "<table></table>", "<hr>", "<p>&amp;nbsp;</p>"},
		},
	} {
		for _, text := range c.blank {
			require.True(t, fieldtype.Of(name).Blank(text), "%s %q", name, text)
		}
		for _, text := range c.shown {
			require.False(t, fieldtype.Of(name).Blank(text), "%s %q", name, text)
		}
	}
}
