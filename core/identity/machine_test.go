package identity

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
)

// Every stage, way and kind of account: what is not listed is refused.
func TestTransitions(t *testing.T) {
	t.Parallel()
	want := map[string]stage{
		"outside password without": inside, "outside password with": halfway, "outside passkey with": inside,
		"outside provider without": inside, "outside provider with": halfway, "outside provider_factor without": inside, "outside provider_factor with": inside,
		"halfway totp with": inside, "halfway passkey with": inside, "halfway recovery with": inside,
		"inside password without": verified, "inside totp with": verified, "inside passkey with": verified,
		"inside provider without": verified, "inside provider_factor without": verified, "inside provider_factor with": verified,
	}
	names := map[stage]string{outside: "outside", halfway: "halfway", inside: "inside", verified: "verified"}
	for from, name := range names {
		for _, way := range []core.Way{core.WayPassword, core.WayTOTP, core.WayPasskey, core.WayRecovery, core.WayProvider, core.WayProviderFactor, "smoke signals", ""} {
			for _, account := range []string{"with", "without"} {
				key := fmt.Sprintf("%s %s %s", name, way, account)
				to, allowed := next(from, way, account == "with")
				if expected, listed := want[key]; allowed != listed || allowed && to != expected || !allowed && to != from {
					t.Errorf("%s: %s, %v", key, names[to], allowed)
				}
			}
		}
	}
}

func TestWaysOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from  stage
		user  core.User
		codes int
		want  []core.Way
	}{
		"an app":             {halfway, core.User{PasswordHash: "x", TOTP: true}, 1, []core.Way{core.WayTOTP, core.WayRecovery}},
		"a passkey":          {halfway, core.User{PasswordHash: "x", Passkeys: 2}, 10, []core.Way{core.WayPasskey, core.WayRecovery}},
		"no codes":           {halfway, core.User{PasswordHash: "x", Passkeys: 2}, 0, []core.Way{core.WayPasskey}},
		"both":               {halfway, core.User{PasswordHash: "x", TOTP: true, Passkeys: 1}, 3, []core.Way{core.WayTOTP, core.WayPasskey, core.WayRecovery}},
		"to verify, none":    {inside, core.User{PasswordHash: "x"}, 0, []core.Way{core.WayPassword}},
		"to verify, an app":  {inside, core.User{PasswordHash: "x", TOTP: true}, 10, []core.Way{core.WayTOTP}},
		"nothing to go from": {verified, core.User{PasswordHash: "x", TOTP: true}, 10, []core.Way{}},
	} {
		if got := waysOn(c.from, &c.user, c.codes); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Whatever the text is, reading it neither fails nor finds a ticket.
func FuzzTicket(f *testing.F) {
	key := tickets{}
	user := core.User{ID: 7, PasswordHash: "$hash$"}
	f.Add(key.issue(&user, "a browser", account.SessionOrigin{SID: "a session"}, time.UnixMilli(0)))
	f.Add("")
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		if made, _, valid := key.read(text, "another browser", time.UnixMilli(0)); valid {
			t.Errorf("%q is a ticket: %+v", text, made)
		}
	})
}
