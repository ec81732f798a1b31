package identity

import (
	"slices"

	"imprimatur/core"
)

// stage is how far a person has come in signing in.
type stage int

const (
	outside  stage = iota // nothing is proven
	halfway               // a second step is needed
	inside                // signed in: has a session
	verified              // signed in, and proved again who they are
)

// factors is a condition on an account.
type factors int

const (
	anyway  factors = iota
	without         // the account has no second factor
	with            // the account has one
)

// transitions is all of signing in: the stage that a way leads to. A stage and a way have one row, or
// one for each condition. Everything else is refused.
var transitions = []struct {
	from stage
	way  core.Way
	when factors
	to   stage
}{
	{outside, core.WayPassword, without, inside},
	{outside, core.WayPassword, with, halfway},
	{outside, core.WayPasskey, with, inside}, // it has verified the person itself
	{outside, core.WayProvider, without, inside},
	{outside, core.WayProvider, with, halfway},
	{outside, core.WayProviderFactor, anyway, inside},
	{halfway, core.WayTOTP, with, inside},
	{halfway, core.WayPasskey, with, inside},
	{halfway, core.WayRecovery, with, inside},
	{inside, core.WayPassword, without, verified},
	{inside, core.WayTOTP, with, verified},
	{inside, core.WayPasskey, with, verified},
	{inside, core.WayProvider, without, verified},
	{inside, core.WayProviderFactor, anyway, verified},
}

// next returns the stage that a way leads to for an account that has a second factor or none. It
// returns false when the way leads nowhere.
func next(from stage, way core.Way, hasFactor bool) (to stage, allowed bool) {
	for _, t := range transitions {
		if t.from == from && t.way == way && (t.when == anyway || (t.when == with) == hasFactor) {
			return t.to, true
		}
	}
	return from, false
}

// waysOn returns the ways that lead on from a stage and that the user has, in the order of transitions.
// codes is the number of the user's unused recovery codes.
func waysOn(from stage, user *core.User, codes int) []core.Way {
	has := map[core.Way]bool{
		core.WayPassword: user.PasswordHash != "", core.WayTOTP: user.TOTP, core.WayPasskey: user.Passkeys > 0, core.WayRecovery: codes > 0,
	}
	ways := []core.Way{}
	for _, t := range transitions {
		if _, allowed := next(from, t.way, user.HasFactor()); allowed && t.from == from && has[t.way] && !slices.Contains(ways, t.way) {
			ways = append(ways, t.way)
		}
	}
	return ways
}
