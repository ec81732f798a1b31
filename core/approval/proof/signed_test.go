package proof_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/webauthn"
	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/approval"
	"imprimatur/core/approval/proof"
	"imprimatur/core/canonical"
	"imprimatur/core/identity"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/secret"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

const (
	accurate  = "I reviewed this for accuracy"
	releases  = "I release this \u201c\u00e9\u201d"
	rightWord = "right"
)

// plainHasher is a ports.PasswordHasher that keeps passwords.
type plainHasher struct{}

func (plainHasher) Hash(_ context.Context, password string) (string, error) { return password, nil }

func (plainHasher) Matches(_ context.Context, password, hash string) (bool, error) {
	return password == hash, nil
}

// signers is a fixture whose users have sessions and passkeys.
type signers struct {
	*fixture
	sessions *identity.Sessions
	reader   *webauthn.Reader
	at       virtualwebauthn.RelyingParty
	keysOf   map[string]*virtualwebauthn.Credential

	released, plain int64 // entries of TestRecordsAreAsTheTextSays
}

func newSigners(t testing.TB) *signers {
	t.Helper()
	f := setup(t)
	base, err := url.Parse("https://cms.example:8443")
	require.NoError(t, err)
	s := &signers{fixture: f, reader: webauthn.New(base), at: virtualwebauthn.RelyingParty{ID: "cms.example", Origin: base.String()}, keysOf: map[string]*virtualwebauthn.Credential{}}
	s.sessions = identity.NewSessions(f.Stores, f.Tx, plainHasher{}, f.clock, secret.New(), s.reader)
	for i, name := range []string{"admin", "department", "tenant", "legal"} {
		kind := virtualwebauthn.KeyTypeEC2
		if i == 1 {
			kind = virtualwebauthn.KeyTypeRSA
		}
		key := virtualwebauthn.NewCredential(kind)
		for kind == virtualwebauthn.KeyTypeEC2 && len(key.Key.AttestationData()) != 77 { // it drops leading zeros of coordinates
			key = virtualwebauthn.NewCredential(kind)
		}
		made, _, err := s.reader.Created([]byte(virtualwebauthn.CreateAttestationResponse(s.at, virtualwebauthn.NewAuthenticator(), key, virtualwebauthn.AttestationOptions{Challenge: []byte("any challenge")})))
		require.NoError(t, err)
		made.UserID, made.Name, made.CreatedAt = f.IDs[name], "Key", f.clock.now
		if name != "legal" { // who signs by password
			require.NoError(t, f.Stores.Passkeys.Insert(t.Context(), &made))
			s.keysOf[name] = &key
		}
		require.NoError(t, f.Stores.Sessions.Insert(t.Context(), account.Session{Hash: sessionOf(name), UserID: f.IDs[name], CreatedAt: f.clock.now, ExpiresAt: f.clock.now.Add(1e6 * time.Hour)}))
		if name == "legal" {
			user, err := f.Stores.Users.User(t.Context(), f.IDs[name])
			require.NoError(t, err)
			user.PasswordHash = rightWord
			require.NoError(t, f.Stores.Users.Update(t.Context(), user))
		}
	}
	return s
}

func sessionOf(name string) [32]byte { return sha256.Sum256([]byte(name)) }

// signedStep returns a step whose decisions are signed.
func signedStep(step approval.StepInput) approval.StepInput {
	step.Meanings, step.Reauthenticate = []string{accurate, releases}, true
	return step
}

func (s *signers) actor(name string) core.Actor {
	actor := s.Actor(name)
	actor.Session = sessionOf(name)
	return actor
}

func (s *signers) challenge(t testing.TB, name string, id int64, what review.ActionType, meaning, comment string) (account.SignatureChallenge, error) {
	t.Helper()
	document, err := s.keys.Document(t.Context())
	require.NoError(t, err)
	return s.Reviews.Challenge(t.Context(), s.actor(name), s.Ref(id), approval.ChallengeInput{
		What: what, Meaning: meaning, Installation: document.Installation, Decision: approval.Decision{Comment: comment},
	})
}

// answer returns the assertion of a user over a challenge.
func (s *signers) answer(name string, challenge []byte, options virtualwebauthn.AuthenticatorOptions) []byte {
	key := s.keysOf[name]
	key.Counter++
	return []byte(virtualwebauthn.CreateAssertionResponse(s.at, virtualwebauthn.NewAuthenticatorWithOptions(options), *key, virtualwebauthn.AssertionOptions{Challenge: challenge}))
}

func (s *signers) sign(t testing.TB, name string, c account.SignatureChallenge, given identity.Evidence) (*ports.Signed, error) {
	t.Helper()
	return s.sessions.Sign(t.Context(), s.actor(name), identity.Signing{Client: identity.Client{Address: "192.0.2.1"}, Challenge: c.Name(), Proof: given})
}

// proven returns the evidence of a user for a challenge.
func (s *signers) proven(name string, c account.SignatureChallenge) identity.Evidence {
	if name == "legal" {
		return identity.Evidence{Password: rightWord}
	}
	return identity.Evidence{Passkey: s.answer(name, c.Sum(), virtualwebauthn.AuthenticatorOptions{})}
}

// approve signs the approval of a user with a meaning.
func (s *signers) approve(t testing.TB, name string, id int64, meaning string) error {
	t.Helper()
	c, err := s.challenge(t, name, id, review.ActionApprove, meaning, "")
	if err != nil {
		return err
	}
	signed, err := s.sign(t, name, c, s.proven(name, c))
	require.NoError(t, err)
	_, err = s.Reviews.Approve(t.Context(), s.actor(name), s.Ref(id), approval.Decision{Signature: signed})
	return err
}

func (s *signers) submit(title string) int64 {
	return s.Create(newsroom.Article(title, newsroom.Published(true))).ID
}

func codeOf(err error) string {
	var e *core.Error
	if err == nil {
		return ""
	}
	if !errors.As(err, &e) {
		return err.Error()
	}
	if len(e.Fields) > 0 {
		return e.Code + " " + e.Fields[0].Location
	}
	return e.Code
}

func TestSignedDecisions(t *testing.T) {
	t.Parallel()
	s := newSigners(t)
	s.SetWorkflow(signedStep(newsroom.Step(1, core.RoleAdmin)), signedStep(newsroom.CustomRoleStep(2, s.Legal)), newsroom.Step(3, core.RoleDepartmentAdmin))
	id, other := s.submit("A"), s.submit("B")
	_, err := s.Reviews.Approve(t.Context(), s.actor("admin"), s.Ref(id), approval.Decision{})
	require.Equal(t, "signature_required", codeOf(err))
	begin := func(name, comment string) account.SignatureChallenge {
		c, err := s.challenge(t, name, id, review.ActionApprove, accurate, comment)
		require.NoError(t, err)
		return c
	}
	decide := func(name string, id int64, signed *ports.Signed, comment string) string {
		_, err := s.Reviews.Approve(t.Context(), s.actor(name), s.Ref(id), approval.Decision{Signature: signed, Comment: comment})
		return codeOf(err)
	}
	signed := func(name string, c account.SignatureChallenge) *ports.Signed {
		made, err := s.sign(t, name, c, s.proven(name, c))
		require.NoError(t, err)
		return made
	}

	// What the challenge is asked for.
	for name, row := range map[string]struct {
		person, meaning string
		what            review.ActionType
		want            string
	}{
		"no meaning of the step": {"admin", "I like it", review.ActionApprove, "invalid meaning"},
		"no decision":            {"admin", accurate, review.ActionPublishNow, "invalid decision"},
		"nobody's turn":          {"legal", accurate, review.ActionApprove, "forbidden"},
		"without a comment":      {"admin", accurate, review.ActionRequestRevision, "invalid comment"},
	} {
		_, err := s.challenge(t, row.person, id, row.what, row.meaning, "")
		require.Equal(t, row.want, codeOf(err), name)
	}
	token := s.TokenOf("admin")
	_, err = s.Reviews.Challenge(t.Context(), token, s.Ref(id), approval.ChallengeInput{What: review.ActionApprove, Meaning: accurate})
	require.Error(t, err)

	// Evidence that is wrong.
	c := begin("admin", "")
	for name, given := range map[string]identity.Evidence{
		"of another challenge":   {Passkey: s.answer("admin", []byte("another"), virtualwebauthn.AuthenticatorOptions{})},
		"of another person":      {Passkey: s.answer("department", c.Sum(), virtualwebauthn.AuthenticatorOptions{})},
		"without verification":   {Passkey: s.answer("admin", c.Sum(), virtualwebauthn.AuthenticatorOptions{UserNotVerified: true})},
		"the password alone":     {Password: "x"},
		"the password and a key": {Password: "x", Passkey: []byte(`{"id":"AA"}`)},
		"nothing":                {},
	} {
		_, err := s.sign(t, "admin", c, given)
		require.Contains(t, codeOf(err), "invalid signature", name)
	}
	elsewhere := *s
	elsewhere.at.Origin = "https://cms.example.evil.example"
	_, err = s.sign(t, "admin", c, identity.Evidence{Passkey: elsewhere.answer("admin", c.Sum(), virtualwebauthn.AuthenticatorOptions{})})
	require.Equal(t, "invalid signature.passkey", codeOf(err))

	// A signature for something else.
	require.Equal(t, "invalid signature.challenge", decide("admin", id, signed("admin", begin("admin", "")), "with a comment"))
	_, err = s.Reviews.Reject(t.Context(), s.actor("admin"), s.Ref(id), approval.Decision{Signature: signed("admin", begin("admin", ""))})
	require.Equal(t, "invalid signature.challenge", codeOf(err))
	require.Equal(t, "challenge_expired", decide("admin", other, signed("admin", begin("admin", "")), ""), "of another request")
	_, err = s.sign(t, "department", begin("admin", ""), identity.Evidence{})
	require.Equal(t, "challenge_expired", codeOf(err), "of another session")
	first := begin("admin", "")
	begin("admin", "")
	_, err = s.sign(t, "admin", first, s.proven("admin", first))
	require.Equal(t, "challenge_expired", codeOf(err), "replaced")
	late := signed("admin", begin("admin", ""))
	s.clock.now = s.clock.now.Add(account.ChallengeLifetime)
	require.Equal(t, "challenge_expired", decide("admin", id, late, ""))

	// A change of the request, and one use.
	stale := signed("admin", begin("admin", ""))
	_, err = s.Reviews.Reschedule(t.Context(), s.Actor("editor"), s.Ref(id), schedule.Times{PublishAt: core.Some(s.clock.now.Add(time.Hour))})
	require.NoError(t, err)
	_, err = s.Reviews.Reschedule(t.Context(), s.Actor("editor"), s.Ref(id), schedule.Times{PublishAt: core.Null[time.Time]()})
	require.NoError(t, err)
	require.Equal(t, "challenge_expired", decide("admin", id, stale, ""))
	good := signed("admin", begin("admin", "Fine."))
	require.Equal(t, "", decide("admin", id, good, "Fine."))
	require.NotEqual(t, "", decide("admin", id, good, "Fine."))
	made := s.Request(id).Actions
	last := made[len(made)-1]
	require.Equal(t, review.SignedByPasskey, last.Signature.Method)
	require.Empty(t, last.Verified, "such a step ignores reauthenticate")
	read := last.Signature.Read()
	require.Equal(t, []any{accurate, review.ActionApprove, "admin"}, []any{read.Meaning, read.Decision, read.Person.Name})

	// By password, and a step without signatures.
	c, err = s.challenge(t, "legal", id, review.ActionApprove, releases, "")
	require.NoError(t, err)
	_, err = s.sign(t, "legal", c, identity.Evidence{Password: "wrong"})
	require.Equal(t, "invalid signature.password", codeOf(err))
	_, err = s.sign(t, "legal", c, identity.Evidence{Password: rightWord, TOTP: "123456"})
	require.Equal(t, "invalid signature.totp", codeOf(err))
	require.Equal(t, "", decide("legal", id, signed("legal", c), ""))
	_, err = s.challenge(t, "department", id, review.ActionApprove, accurate, "")
	require.Equal(t, "invalid stepId", codeOf(err))
	require.Equal(t, "invalid signature", decide("department", id, good, ""))
	require.Equal(t, "", decide("department", id, nil, ""))
	stored, err := s.keys.Keys(t.Context())
	require.NoError(t, err)
	document, keys := trusted(t, stored...)
	text := s.proof(t, id, 1)
	summary, err := proof.Verify(text, keys)
	require.NoError(t, err)
	require.Equal(t, []int{2, 1, 0, 3}, []int{summary.Signed, summary.Passkeys, summary.Confirmed, summary.Steps})
	require.Equal(t, []string{"valid"}, byNode(t, document, [][]byte{text}))
}

// A wrong signature counts as a failed sign-in.
func TestWrongSignaturesAreLimited(t *testing.T) {
	t.Parallel()
	s := newSigners(t)
	s.SetWorkflow(signedStep(newsroom.CustomRoleStep(1, s.Legal)))
	id := s.submit("A")
	c, err := s.challenge(t, "legal", id, review.ActionApprove, accurate, "")
	require.NoError(t, err)
	for range 10 {
		_, err := s.sign(t, "legal", c, identity.Evidence{Password: "wrong"})
		require.Equal(t, "invalid signature.password", codeOf(err))
	}
	_, err = s.sign(t, "legal", c, identity.Evidence{Password: rightWord})
	require.Equal(t, "too_many_failures", codeOf(err))
}

// One user signs with one meaning in a round.
func TestOneMeaning(t *testing.T) {
	t.Parallel()
	s := newSigners(t)
	s.SetWorkflow(signedStep(newsroom.Step(1, core.RoleAdmin)), signedStep(newsroom.Step(2, core.RoleAdmin)))
	id := s.submit("A")
	require.NoError(t, s.approve(t, "tenant", id, accurate))
	_, err := s.challenge(t, "tenant", id, review.ActionApprove, releases, "")
	require.Equal(t, "other_meaning", codeOf(err))
	require.NoError(t, s.approve(t, "tenant", id, accurate))
	id = s.submit("B")
	require.NoError(t, s.approve(t, "tenant", id, releases), "another round")
}

// TestForgerOfSignatures gives the signatures of approvals to others, between users, requests, decisions and meanings, and
// changes each member of one. All hashes are computed again, and the installation signs. No forgery passes.
func TestForgerOfSignatures(t *testing.T) {
	t.Parallel()
	s := newSigners(t)
	s.SetWorkflow(signedStep(newsroom.Step(1, core.RoleAdmin)), signedStep(newsroom.Step(2, core.RoleAdmin)), signedStep(newsroom.Step(3, core.RoleAdmin)))
	var proofs []object
	for i, people := range [][]string{{"admin", "department", "tenant"}, {"department", "tenant", "admin"}, {"admin", "department", "tenant"}} {
		id := s.submit(fmt.Sprint("A", i))
		for n, name := range people {
			require.NoError(t, s.approve(t, name, id, []string{accurate, releases}[(i+n)%2]))
		}
		var p object
		require.NoError(t, json.Unmarshal(s.proof(t, id, 1), &p))
		proofs = append(proofs, p)
	}
	signer := s.signer(t)
	var all []judged
	add := func(name string, p object, at int, change func(signature object)) {
		copied := normalised(t, p)
		change(action(copied, at)["signature"].(object))
		if digest(copied) == digest(p) {
			return
		}
		relink(copied)
		last := part(copied, "request")["actions"].([]any)
		part(copied, "request")["state"] = last[len(last)-1].(object)["outcome"]
		all = append(all, judged{name, copied, "signature"})
	}
	for i, p := range proofs {
		all = append(all, judged{fmt.Sprint("genuine ", i), normalised(t, p), ""})
		for at := 1; at <= 3; at++ {
			for j, q := range proofs {
				for from := 1; from <= 3; from++ {
					theirs := action(q, from)["signature"].(object)
					where := fmt.Sprintf("%d.%d from %d.%d", i, at, j, from)
					add(where, p, at, func(own object) { maps.Copy(own, theirs) })
					for _, name := range slices.Sorted(maps.Keys(theirs)) {
						if name != "origin" && name != "method" {
							add(where+": "+name, p, at, func(own object) { own[name] = theirs[name] })
						}
					}
					add(where+": all but the payload", p, at, func(own object) {
						payload := own["payload"]
						maps.Copy(own, theirs)
						own["payload"] = payload
					})
				}
			}
			own := action(p, at)["signature"].(object)
			var payload object
			require.NoError(t, json.Unmarshal([]byte(own["payload"].(string)), &payload))
			mutations(payload, "payload", func(place string, changed any) {
				add(fmt.Sprintf("%d.%d: %s", i, at, place), p, at, func(own object) { own["payload"] = string(canonical.Of(changed)) })
			})
			mutations(own, "signature", func(place string, changed any) {
				if changed, ok := changed.(object); ok {
					add(fmt.Sprintf("%d.%d: %s", i, at, place), p, at, func(own object) {
						clear(own)
						maps.Copy(own, changed)
					})
				}
			})
			add("a flag", p, at, func(own object) {
				assertion := own["assertion"].(object)
				raw, err := base64.RawURLEncoding.DecodeString(assertion["authenticatorData"].(string))
				require.NoError(t, err)
				raw[32] &^= 4
				assertion["authenticatorData"] = base64.RawURLEncoding.EncodeToString(raw)
			})
			add("by password", p, at, func(own object) {
				own["method"] = "password"
			})
		}
		// The approvals of two users change places with their signatures, or lose them.
		missing := normalised(t, p)
		delete(action(missing, 1), "signature")
		relink(missing)
		all = append(all, judged{"left out", missing, "signature"})
	}
	require.Greater(t, len(all), 500)
	judge(t, signer, all...)
	forged := 0
	for _, j := range all {
		if j.want != "" {
			forged++
		}
	}
	t.Logf("%d forgeries, none passes", forged)
}
