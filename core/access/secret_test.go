package access

import (
	"regexp"
	"strings"
	"testing"
)

func TestNewSecret(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^imp_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$`)
	seen := map[string]bool{}
	for range 200 {
		secret := NewSecret()
		if !form.MatchString(secret) || !wellFormed(secret, secretPrefix) {
			t.Fatalf("%q is malformed", secret)
		}
		if seen[secret] {
			t.Fatalf("%q was generated twice", secret)
		}
		seen[secret] = true
	}
}

func TestWellFormed(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("0", 43)
	sum := "imp_" + zeros + "_" + checksum(zeros)
	if !wellFormed(sum, secretPrefix) {
		t.Fatalf("%q is refused", sum)
	}
	for _, test := range []struct{ name, secret string }{
		{"empty", ""},
		{"prefix alone", "imp_"},
		{"other prefix", "xmp_" + sum[4:]},
		{"prefix in another case", "IMP_" + sum[4:]},
		{"one character changed", "imp_1" + sum[5:]},
		{"checksum changed", sum[:len(sum)-1] + "~"},
		{"two characters swapped", "imp_01" + strings.Repeat("0", 41) + sum[47:]},
		{"cut short", sum[:len(sum)-1]},
		{"too long", sum + "0"},
		{"separator moved", sum[:46] + "_0" + sum[48:]},
		{"outside of base62", "imp_" + strings.Repeat("-", 43) + "_" + checksum(strings.Repeat("-", 43))},
		{"white space around", " " + sum + " "},
	} {
		if wellFormed(test.secret, secretPrefix) {
			t.Errorf("%s: %q is accepted as well-formed", test.name, test.secret)
		}
	}
}

func FuzzWellFormed(f *testing.F) {
	f.Add("")
	f.Add("imp_")
	f.Add(NewSecret())
	f.Fuzz(func(t *testing.T, secret string) {
		if !wellFormed(secret, secretPrefix) {
			return
		}
		body := secret[len(secretPrefix) : len(secretPrefix)+secretBody]
		if secret != secretPrefix+body+"_"+checksum(body) {
			t.Errorf("%q is accepted as well-formed", secret)
		}
	})
}
