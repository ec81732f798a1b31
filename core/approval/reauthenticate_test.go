package approval_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/approval"
	"imprimatur/test/newsroom"
)

// session opens a session of the person with a proof.
func (r *fixture) session(name string, number byte, proof core.Proof) [32]byte {
	r.t.Helper()
	hash := [32]byte{number, name[0]}
	require.NoError(r.t, r.Stores.Sessions.Insert(r.t.Context(), account.Session{
		Hash: hash, UserID: r.IDs[name], CreatedAt: r.clock.now, ExpiresAt: r.clock.now.Add(time.Hour), Proof: proof,
	}))
	return hash
}

// proven returns a fixture whose project has one step that asks for a proof, and a request.
func proven(t *testing.T) (r *fixture, id int64) {
	t.Helper()
	r = setup(t)
	step := newsroom.Step(1, core.RoleAdmin)
	step.Reauthenticate = true
	r.SetWorkflow(step)
	return r, r.submit("Ceasefire holds")
}

// Every decision at such a step needs a fresh proof of the actor's own session.
func TestDecisionsNeedAProof(t *testing.T) {
	t.Parallel()
	const person = "admin"
	password := core.Proof{At: noon, Way: core.WayPassword}
	for what, do := range map[string]func(r *fixture, actor core.Actor, id int64) (*approval.View, error){
		"approve": func(r *fixture, actor core.Actor, id int64) (*approval.View, error) {
			return r.Reviews.Approve(r.Context(), actor, r.Ref(id), approval.Decision{})
		},
		"reject": func(r *fixture, actor core.Actor, id int64) (*approval.View, error) {
			return r.Reviews.Reject(r.Context(), actor, r.Ref(id), approval.Decision{})
		},
		"request a revision": func(r *fixture, actor core.Actor, id int64) (*approval.View, error) {
			return r.Reviews.RequestRevision(r.Context(), actor, r.Ref(id), approval.Decision{Comment: "More sources"})
		},
	} {
		for name, row := range map[string]struct {
			session func(r *fixture) [32]byte
			want    string
		}{
			"no session":         {func(*fixture) [32]byte { return [32]byte{} }, "verify_first"},
			"no proof":           {func(r *fixture) [32]byte { return r.session(person, 1, core.Proof{}) }, "verify_first"},
			"of another session": {func(r *fixture) [32]byte { r.session(person, 1, password); return r.session(person, 2, core.Proof{}) }, "verify_first"},
			"of another user":    {func(r *fixture) [32]byte { return r.session("editor", 1, password) }, "verify_first"},
			"five minutes old": {func(r *fixture) [32]byte {
				hash := r.session(person, 1, password)
				r.clock.pass(core.ProofLifetime)
				return hash
			}, "verify_first"},
			"by a recovery code": {func(r *fixture) [32]byte {
				return r.session(person, 1, core.Proof{At: noon, Way: core.WayRecovery})
			}, "verify_first"},
			"by the password, with a second factor": {func(r *fixture) [32]byte {
				r.withApp(person)
				return r.session(person, 1, password)
			}, "verify_first"},
			"by the password": {func(r *fixture) [32]byte {
				hash := r.session(person, 1, password)
				r.clock.pass(core.ProofLifetime - time.Second)
				return hash
			}, "ok"},
			"at a provider that leaves the second factor to us": {func(r *fixture) [32]byte {
				r.withApp(person)
				return r.session(person, 1, core.Proof{At: noon, Way: core.WayProvider})
			}, "verify_first"},
			"at a provider": {func(r *fixture) [32]byte {
				return r.session(person, 1, core.Proof{At: noon, Way: core.WayProvider})
			}, "ok"},
			"at a provider with a second factor": {func(r *fixture) [32]byte {
				r.withApp(person)
				return r.session(person, 1, core.Proof{At: noon, Way: core.WayProviderFactor})
			}, "ok"},
			"by an app": {func(r *fixture) [32]byte {
				r.withApp(person)
				return r.session(person, 1, core.Proof{At: noon, Way: core.WayTOTP})
			}, "ok"},
			"by a passkey": {func(r *fixture) [32]byte {
				return r.session(person, 1, core.Proof{At: noon, Way: core.WayPasskey})
			}, "ok"},
		} {
			t.Run(what+" "+name, func(t *testing.T) {
				t.Parallel()
				r, id := proven(t)
				hash := row.session(r)
				actor := r.Actor(person)
				actor.Session = hash
				v, err := do(r, actor, id)
				require.Equal(t, row.want, outcome(err))
				if err != nil {
					require.Equal(t, int64(1), r.Request(id).Request.Version)
					return
				}
				session, err := r.Stores.Sessions.Session(t.Context(), hash)
				require.NoError(t, err)
				way := session.Proof.Way
				if way == core.WayProviderFactor {
					way = core.WayProvider
				}
				require.Equal(t, way, v.Actions[1].Verified)
				audit, err := r.Reviews.Audit(t.Context(), actor, r.Ref(id))
				require.NoError(t, err)
				require.Empty(t, audit.Faults)
				audit.Actions[1].Verified = ""
				require.False(t, approval.Verify(audit.Request, audit.Actions).Valid(), "the chain covers the way")
			})
		}
	}
}

// withApp gives the person a second factor.
func (r *fixture) withApp(name string) {
	r.t.Helper()
	require.NoError(r.t, r.Stores.TOTP.Set(r.t.Context(), account.TOTP{UserID: r.IDs[name], Secret: []byte("s"), CreatedAt: noon}))
	require.NoError(r.t, r.Stores.TOTP.Confirm(r.t.Context(), r.IDs[name], 1))
}

// A request keeps the steps of its submission: a later change of the workflow neither asks for a proof
// nor spares one. Actions at other steps do not record a proof that happens to be fresh.
func TestProofsFollowTheRequest(t *testing.T) {
	t.Parallel()
	r, asks := proven(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	spares := r.submit("Talks go on")
	require.Equal(t, "verify_first", outcome(r.Approve("admin", asks)))
	actor := r.Actor("admin")
	actor.Session = r.session("admin", 1, core.Proof{At: noon, Way: core.WayPassword})
	v, err := r.Reviews.Approve(t.Context(), actor, r.Ref(spares), approval.Decision{})
	require.NoError(t, err)
	require.Empty(t, v.Actions[1].Verified)
	v, err = r.Reviews.Approve(t.Context(), actor, r.Ref(asks), approval.Decision{})
	require.NoError(t, err)
	require.Equal(t, core.WayPassword, v.Actions[1].Verified)
	require.Empty(t, v.Actions[2].Verified, "of the publication")
}
