package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/approval"
	"imprimatur/core/identity"
	"imprimatur/core/review"
)

// registerChallenge registers the challenge for signed decisions about of.
func (a *API) registerChallenge(of reviewed) {
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: of.path + "/challenge", ID: "challengeApproval" + of.suffix, Tag: "Approval", Action: access.DecideApproval, Status: http.StatusOK,
		Title: "Begin to sign a decision",
		About: "Returns what the caller signs for one decision at a step with `signature`, and the challenge for it: the decision then has the member `signature` with the challenge and a proof of the caller. " +
			"It is for five minutes, one use and this session, replaces an earlier one of the session, and expires with any change of the request: then the decision answers 410 with `challenge_expired`. " +
			"A user signs with one meaning in a round, else the status is 409 with `other_meaning`. Tokens never sign.",
		Sends: wire.ChallengeInput{Decision: review.ActionApprove, Meaning: "I reviewed this for accuracy"}, Fails: []core.Kind{core.KindConflict},
		Permit: a.permits(of, review.ActionApprove, false), Refusal: a.permits(of, review.ActionApprove, true),
	}, withSubject(of, func(c *endpoint.Call, ref review.Subject, in wire.ChallengeInput) (wire.Challenge, error) {
		keys, err := a.Keys.Document(c.Context())
		if err != nil {
			return wire.Challenge{}, err
		}
		challenge := approval.ChallengeInput{What: in.Decision, Meaning: in.Meaning, Installation: keys.Installation}
		challenge.StepID, challenge.For = in.StepID, in.For
		core.Assign(&challenge.Comment, in.Comment)
		made, err := a.Reviews.Challenge(c.Context(), c.Actor, ref, challenge)
		return wire.ChallengeOf(made, a.Passkeys.RelyingParty()), err
	}))
}

// sign checks the signature of a decision, if there is one.
func (a *API) sign(c *endpoint.Call, in *wire.SignatureInput, decision *approval.Decision) error {
	if in == nil {
		return nil
	}
	given, err := evidence(in.Password, in.TOTP, nil, in.Passkey)
	if err != nil {
		return err
	}
	decision.Signature, err = a.Sessions.Sign(c.Context(), c.Actor, identity.Signing{
		Client:    identity.Client{Address: address(c.Request), UserAgent: c.Request.UserAgent(), Device: a.Cookies.Device(c.Request)},
		Challenge: in.Challenge, Proof: given,
	})
	return err
}
