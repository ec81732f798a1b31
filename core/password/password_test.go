package password_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/password"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	const (
		short  = "must have at least 10 characters"
		long   = "must have at most 1024 bytes"
		blank  = "must not be blank"
		common = "is a common password; choose another one"
	)
	for text, want := range map[string]string{
		"correct horse":                    "",
		"Stra\u00dfenbahn":                 "",
		"         x":                       "",
		strings.Repeat("\U0001d41a", 1024): "", // four bytes that become one
		"":                                 short,
		"nine char":                        short,
		strings.Repeat("e\u0301", 9):       short,
		strings.Repeat("\u1100\u1161", 9):  short,
		strings.Repeat("x", 1025):          long,
		strings.Repeat("\ufdfa", 100):      long, // three bytes that become 33
		strings.Repeat("x", 1<<20):         long,
		"password12\xff":                   "must be text",
		strings.Repeat(" ", 10):            blank,
		strings.Repeat("\u3000", 10):       blank,
		strings.Repeat("\u200b\u2028", 5):  blank,
		"Password123":                      common,
		"\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44\uff11\uff12\uff13": common,
	} {
		var faults core.Faults
		password.Check(&faults, "password", text)
		got := ""
		if len(faults.List) > 0 {
			got = faults.List[0].Message
		}
		if got != want || len(faults.List) > 1 {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
}

// plain is a hasher whose hashes are the passwords, and that records what it compares.
type plain struct{ compared []string }

func (p *plain) Hash(_ context.Context, text string) (string, error) { return text, nil }

func (p *plain) Matches(_ context.Context, text, hash string) (bool, error) {
	p.compared = append(p.compared, text)
	return text == hash, nil
}

func TestHasher(t *testing.T) {
	t.Parallel()
	const composed, decomposed, wide = "caf\u00e9 cr\u00e8me", "cafe\u0301 cre\u0300me", "\uff43\uff41\uff46\u00e9\u3000\uff43\uff52\u00e8\uff4d\uff45"
	for _, text := range []string{composed, decomposed, wide} {
		if hash, err := password.NewHasher(&plain{}).Hash(t.Context(), text); err != nil || hash != composed {
			t.Errorf("%q is hashed as %q: %v", text, hash, err)
		}
	}
	for _, test := range []struct {
		name, text, hash string
		compared         []string
		want             bool
	}{
		{"the same form", composed, composed, []string{composed}, true},
		{"another form", decomposed, composed, []string{composed}, true},
		{"hashed as written", decomposed, decomposed, []string{composed, decomposed}, true},
		{"wrong", composed, "another", []string{composed}, false},
		{"wrong in another form", decomposed, "another", []string{composed, decomposed}, false},
		{"of no account in another form", decomposed, "", []string{composed, decomposed}, false},
		{"other case", strings.ToUpper(composed), composed, []string{strings.ToUpper(composed)}, false},
	} {
		hasher := &plain{}
		got, err := password.NewHasher(hasher).Matches(t.Context(), test.text, test.hash)
		if err != nil || got != test.want || !slices.Equal(hasher.compared, test.compared) {
			t.Errorf("%s: %v after comparing %q, want %v after %q: %v", test.name, got, hasher.compared, test.want, test.compared, err)
		}
	}
}
