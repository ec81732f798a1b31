package identity

import (
	"strings"
	"testing"
	"time"
)

// FuzzCode checks that only the three codes around a time are codes of an app, however they are spaced.
func FuzzCode(f *testing.F) {
	const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	now := time.Unix(1_800_000_000, 0)
	f.Add("123456")
	f.Add(" 123 456 ")
	f.Add("")
	f.Add("-1")
	f.Add("１２３４５６")
	f.Fuzz(func(t *testing.T, code string) {
		step, found := stepOf(secret, code, now)
		digits := strings.ReplaceAll(strings.TrimSpace(code), " ", "")
		if found && (len(digits) != 6 || strings.Trim(digits, "0123456789") != "" || step < now.Unix()/stepSeconds-1 || step > now.Unix()/stepSeconds+1) {
			t.Errorf("%q is a code of step %d", code, step)
		}
		if !found && step != 0 {
			t.Errorf("%q has step %d", code, step)
		}
	})
}

// FuzzDevice checks that no text but the value of a device cookie is one, and that a value keeps its
// limits.
func FuzzDevice(f *testing.F) {
	d := devices{}
	f.Add(d.add("", "ida@example.org"), "ida@example.org")
	f.Add("", "")
	f.Add(strings.Repeat(".", 20), "ida@example.org")
	f.Fuzz(func(t *testing.T, value, email string) {
		if len(d.browser(value)) != 0 && len(d.browser(value)) != deviceLength {
			t.Errorf("%q is a browser", value)
		}
		added := d.add(value, email)
		if d.find(added, email) == "" || strings.Count(added, ".") > maxSignatures {
			t.Errorf("%q became %q", value, added)
		}
	})
}
