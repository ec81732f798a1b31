package contract

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"imprimatur/ports"
)

var phc = regexp.MustCompile(`^\$[a-z0-9-]+(\$v=[0-9]+)?(\$[a-z0-9-]+=[^,$]+(,[a-z0-9-]+=[^,$]+)*)?\$[A-Za-z0-9+/.-]+\$[A-Za-z0-9+/]+$`)

// PasswordHasher checks a ports.PasswordHasher, which should use cheap parameters.
func PasswordHasher(t *testing.T, open func(t *testing.T) ports.PasswordHasher) {
	t.Run("matches its own password only", func(t *testing.T) {
		t.Parallel()
		hasher := open(t)
		for _, password := range []string{"correct horse", "", "пароль 🔑", "e\u0301", strings.Repeat("x", 1000)} {
			hash := result(hasher.Hash(t.Context(), password))(t)
			assertEqual(t, result(hasher.Matches(t.Context(), password, hash))(t), true)
			for _, other := range []string{password + " ", password + "x", "X" + password, "\u00e9"} {
				assertEqual(t, result(hasher.Matches(t.Context(), other, hash))(t), false)
			}
		}
	})
	t.Run("salts, in PHC string format", func(t *testing.T) {
		t.Parallel()
		hasher := open(t)
		a, b := result(hasher.Hash(t.Context(), "correct horse"))(t), result(hasher.Hash(t.Context(), "correct horse"))(t)
		if a == b || !phc.MatchString(a) || strings.Contains(a, "correct") {
			t.Errorf("hashes are not salted PHC strings: %s, %s", a, b)
		}
	})
	t.Run("matches nothing with an invalid hash", func(t *testing.T) {
		t.Parallel()
		hasher := open(t)
		whole := result(hasher.Hash(t.Context(), "x"))(t)
		for _, hash := range []string{"", "x", "$", "$$$$$", whole[:len(whole)-4], whole + "$", strings.Replace(whole, "$", "", 1), "plain:x"} {
			for _, password := range []string{"x", "", hash} {
				if result(hasher.Matches(t.Context(), password, hash))(t) {
					t.Errorf("%q matches %q", password, hash)
				}
			}
		}
	})
	t.Run("is not blocked by cancelled calls", func(t *testing.T) {
		t.Parallel()
		hasher := open(t)
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		race(8, func(int) error { return errorOf(hasher.Hash(cancelled, "x")) })
		assertEqual(t, result(hasher.Matches(t.Context(), "x", result(hasher.Hash(t.Context(), "x"))(t)))(t), true)
	})
}
