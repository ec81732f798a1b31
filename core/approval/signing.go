package approval

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// ChallengeInput is what a user is about to sign.
type ChallengeInput struct {
	Decision

	What         review.ActionType // approve, reject or request_revision
	Meaning      string            // one of those of the step
	Installation string            // its id
}

// Challenge asks the session of actor to sign a decision, in place of an earlier challenge. It checks what the decision
// checks: core.KindForbidden without a session, as of tokens and assistants, and core.ErrInvalid at "decision",
// "meaning", "stepId" and "comment".
func (rs *Reviews) Challenge(ctx context.Context, actor core.Actor, ref review.Subject, in ChallengeInput) (c account.SignatureChallenge, err error) {
	r, err := findToDecide(ctx, rs.stores.Requests, actor, ref)
	if err != nil {
		return c, err
	}
	if !in.What.Decision() {
		if err := rs.Permits(ctx, actor, ref, review.ActionApprove, true); err != nil { // before faults of the input
			return c, err
		}
		return c, core.Invalid(core.FieldError{Location: "decision", Message: "must be approve, reject or request_revision"})
	}
	t := transition{what: in.What, comment: in.Comment, by: actor.Ref()}
	err = rs.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		project, err := stores.Projects.Hold(ctx, r.ProjectID)
		if err != nil {
			return err
		}
		if actor, err = present(ctx, stores.Grants, stores.Users, actor); err != nil {
			return err
		}
		if !r.VisibleTo(actor, project) {
			return errNoRequest
		}
		if err := lend(ctx, stores, &actor, &r); err != nil {
			return err
		}
		as, err := t.decider(actor, project, &r, in.Decision)
		if err != nil {
			return err
		}
		if t.at, t.behalf, err = behalfOf(ctx, stores, as); err != nil {
			return err
		}
		if t.by = actor.Ref(); t.by.Kind != "user" {
			return review.SignatureRequired()
		}
		if err := t.allowed(&r); err != nil {
			return err
		}
		switch rule := r.Steps[t.step-1].Signature; {
		case rule == nil:
			return core.Invalid(core.FieldError{Location: "stepId", Message: "is a step without signatures"})
		case !slices.Contains(rule.Meanings, in.Meaning):
			return core.Invalid(core.FieldError{Location: "meaning", Message: "must be one of the meanings of the step", Value: core.Clip(in.Meaning)})
		}
		if err := t.oneMeaning(ctx, stores.Requests, &r, in.Meaning); err != nil {
			return err
		}
		payload := t.payload(&r, review.SignaturePayload{Installation: in.Installation, Meaning: in.Meaning, At: core.FormatTime(t.at), Nonce: nonce()})
		c = account.SignatureChallenge{Payload: payload.Text(), Version: r.Version, ExpiresAt: t.at.Add(account.ChallengeLifetime)}
		if err := stores.Sessions.Ask(ctx, actor.Session, c); errors.Is(err, core.ErrNotFound) {
			return review.SignatureRequired()
		} else if err != nil {
			return err
		}
		return nil
	})
	return c, err
}

func nonce() string {
	var random [16]byte
	rand.Read(random[:])
	return base64.RawURLEncoding.EncodeToString(random[:])
}

// payload returns what the user signs for t, with the members of given that do not follow from t.
func (t transition) payload(r *review.Request, given review.SignaturePayload) review.SignaturePayload {
	p := review.SignaturePayload{
		Installation: given.Installation, Project: r.ProjectID, Request: r.ID, ReleaseNumber: r.ReleaseNumber(), StepID: t.step, ContentHash: r.ContentHash(),
		Decision: t.what, Meaning: given.Meaning, CommentHash: review.CommentHash(t.comment),
		Person: review.SignedPerson{ID: t.by.ID, Name: t.by.Name}, At: given.At, Nonce: given.Nonce,
	}
	if t.behalf.ID != 0 {
		p.OnBehalfOf = &review.SignedPerson{ID: t.behalf.ID, Name: t.behalf.Name}
	}
	return p
}

// oneMeaning returns core.KindConflict with the code "other_meaning" if one of the users of t has signed a decision of
// the round with another meaning.
func (t transition) oneMeaning(ctx context.Context, requests ports.RequestReader, r *review.Request, meaning string) error {
	actions, err := requests.Actions(ctx, r.ProjectID, r.ID)
	if err != nil {
		return err
	}
	for i := range actions {
		a := &actions[i]
		if a.Signature == nil || a.Signature.Read().Meaning == meaning {
			continue
		}
		for _, person := range []int64{t.by.ID, t.behalf.ID} {
			if person != 0 && (person == a.Actor.ID || person == a.OnBehalfOf.ID) {
				return core.Conflict("other_meaning", "a user signs with one meaning in a round, and signed with another one before")
			}
		}
	}
	return nil
}

// signs checks the signature of t, and uses it up. It returns nil for a step without signatures.
func (t transition) signs(ctx context.Context, stores ports.Stores, r *review.Request, given *ports.Signed) (*review.Signature, error) {
	asks := t.step > 0 && r.Steps[t.step-1].Signature != nil
	switch {
	case !asks && given == nil:
		return nil, nil //nolint:nilnil // documented
	case !asks:
		return nil, core.Invalid(core.FieldError{Location: "signature", Message: "must be left out: the step asks for none"})
	case given == nil || t.by.Kind != "user":
		return nil, review.SignatureRequired()
	}
	read := given.Read()
	at, err := time.Parse(time.RFC3339, read.At)
	if err != nil || given.Challenge.Version != r.Version || read.Request != r.ID || t.at.Before(at) || !t.at.Before(given.Challenge.ExpiresAt) {
		return nil, review.ChallengeExpired()
	}
	if want := t.payload(r, read); want.Text() != given.Payload {
		return nil, core.Invalid(core.FieldError{Location: "signature.challenge", Message: "was made for another decision, comment, step or user"})
	}
	if err := t.oneMeaning(ctx, stores.Requests, r, read.Meaning); err != nil {
		return nil, err
	}
	return &given.Signature, given.Spend(ctx, stores)
}
