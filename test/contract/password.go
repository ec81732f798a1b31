package contract

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"imprimatur/ports"
)

var phc = regexp.MustCompile(`^\$[a-z0-9-]+(\$v=[0-9]+)?(\$[a-z0-9-]+=[^,$]+(,[a-z0-9-]+=[^,$]+)*)?\$[A-Za-z0-9+/.-]+\$[A-Za-z0-9+/]+$`)

// PasswordHasher checks a ports.PasswordHasher, which should be set up to be cheap.
func PasswordHasher(t *testing.T, open func(t *testing.T) ports.PasswordHasher) {
	t.Run("matches its own password only", func(t *testing.T) {
		t.Parallel()
		hasher := open(t)
		for _, password := range []string{"correct horse", "", "пароль 🔑", "e\u0301", strings.Repeat("x", 1000)} {
			hash := value(hasher.Hash(t.Context(), password))(t)
			same(t, value(hasher.Matches(t.Context(), password, hash))(t), true)
			for _, other := range []string{password + " ", password + "x", "X" + password, "\u00e9"} {
				same(t, value(hasher.Matches(t.Context(), other, hash))(t), false)
			}
		}
	})
	t.Run("salts, in PHC string format", func(t *testing.T) {
		t.Parallel()
		hasher := open(t)
		a, b := value(hasher.Hash(t.Context(), "correct horse"))(t), value(hasher.Hash(t.Context(), "correct horse"))(t)
		if a == b || !phc.MatchString(a) || strings.Contains(a, "correct") {
			t.Errorf("hashes are not salted PHC strings: %s, %s", a, b)
		}
	})
	t.Run("matches nothing with a hash that is none", func(t *testing.T) {
		t.Parallel()
		hasher := open(t)
		whole := value(hasher.Hash(t.Context(), "x"))(t)
		for _, hash := range []string{"", "x", "$", "$$$$$", whole[:len(whole)-4], whole + "$", strings.Replace(whole, "$", "", 1), "plain:x"} {
			for _, password := range []string{"x", "", hash} {
				if value(hasher.Matches(t.Context(), password, hash))(t) {
					t.Errorf("%q matches %q", password, hash)
				}
			}
		}
	})
	t.Run("is not worn out by callers who are gone", func(t *testing.T) {
		t.Parallel()
		hasher := open(t)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		race(8, func(int) error { return failure(hasher.Hash(gone, "x")) })
		same(t, value(hasher.Matches(t.Context(), "x", value(hasher.Hash(t.Context(), "x"))(t)))(t), true)
	})
}
