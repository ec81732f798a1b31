package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/assistant"
	"imprimatur/core/secret"
	"imprimatur/core/words"
	"imprimatur/ports"
)

// Assistants lets users make, list and revoke their own assistants. It is safe for concurrent use.
type Assistants struct {
	stores ports.Stores
	tx     ports.Tx
	clock  ports.Clock
}

// NewAssistants returns Assistants.
func NewAssistants(stores ports.Stores, tx ports.Tx, clock ports.Clock) *Assistants {
	return &Assistants{stores: stores, tx: tx, clock: clock}
}

// AssistantInput describes a new assistant.
type AssistantInput struct {
	Name       string
	ProjectIDs []int64
	ExpiresIn  int // days, 1 to assistant.MaxDays
	Drafts     bool
}

// List returns the assistants of the actor that are neither revoked nor expired, by id.
func (as *Assistants) List(ctx context.Context, actor core.Actor) ([]core.Assistant, error) {
	found, err := as.stores.Assistants.AssistantsOf(ctx, actor.UserID())
	now := as.clock.Now()
	return slices.DeleteFunc(found, func(a core.Assistant) bool { return !a.Valid(now) }), err
}

// Create makes an assistant of the actor and returns it with its secret. The secret cannot be read later. The actor must
// have a role in each of the Projects, whose tenants must admit assistants. Faults are core.ErrInvalid. With
// assistant.MaxAssistants it returns core.KindConflict.
func (as *Assistants) Create(ctx context.Context, actor core.Actor, in AssistantInput) (core.Assistant, string, error) {
	now := as.clock.Now()
	a := core.Assistant{
		UserID: actor.UserID(), TenantID: actor.User.TenantID, Name: in.Name, ProjectIDs: core.Distinct(slices.Clone(in.ProjectIDs)), Drafts: in.Drafts,
		CreatedAt: now, ExpiresAt: now.Add(time.Duration(in.ExpiresIn) * 24 * time.Hour),
	}
	text := NewAssistantSecret()
	a.Hash, a.Hint = secret.Hash(text), text[len(text)-hintLength:]
	err := as.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stillActive(ctx, stores.Users, actor); err != nil {
			return err
		}
		if err := in.check(ctx, stores, actor); err != nil {
			return err
		}
		own, err := stores.Assistants.AssistantsOf(ctx, a.UserID)
		if err != nil {
			return err
		}
		if len(slices.DeleteFunc(own, func(a core.Assistant) bool { return !a.Valid(now) })) >= assistant.MaxAssistants {
			return core.Conflict("too_many_assistants", "a user has at most %d assistants: revoke one first", assistant.MaxAssistants)
		}
		return stores.Assistants.Insert(ctx, &a)
	})
	if err != nil {
		return core.Assistant{}, "", err
	}
	return a, text, nil
}

// check returns all faults of in.
func (in AssistantInput) check(ctx context.Context, stores ports.Stores, actor core.Actor) error {
	var found core.Faults
	if fault := words.NameFault(in.Name); fault != "" {
		found.Add("name", nil, fault)
	} else if utf8.RuneCountInString(in.Name) > assistant.MaxName {
		found.Addf("name", nil, "must have at most %d characters", assistant.MaxName)
	}
	if in.ExpiresIn < 1 || in.ExpiresIn > assistant.MaxDays {
		found.Addf("expiresIn", in.ExpiresIn, "must be from 1 to %d days", assistant.MaxDays)
	}
	if len(in.ProjectIDs) < 1 || len(in.ProjectIDs) > assistant.MaxProjects {
		found.Addf("projects", nil, "must name from 1 to %d projects", assistant.MaxProjects)
		return found.Err()
	}
	projects, err := stores.Projects.ProjectsByIDs(ctx, core.Distinct(slices.Clone(in.ProjectIDs)))
	if err != nil {
		return err
	}
	for i, id := range in.ProjectIDs {
		at := fmt.Sprintf("projects[%d]", i)
		p := slices.IndexFunc(projects, func(p *core.Project) bool { return p.ID == id })
		if p < 0 || !Sees(actor, PlaceOf(projects[p])) {
			found.Add(at, id, "is no project in which you have a role")
			continue
		}
		tenant, err := stores.Tenants.Tenant(ctx, projects[p].TenantID)
		if err != nil {
			return err
		}
		if !tenant.Assistants {
			found.Add(at, id, "is in a tenant that does not admit assistants")
		}
	}
	return found.Err()
}

// Revoke revokes an assistant of the actor permanently. It returns core.ErrNotFound if the actor has no such assistant,
// and no error if the assistant is already revoked.
func (as *Assistants) Revoke(ctx context.Context, actor core.Actor, id int64) error {
	return as.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Assistants.Lock(ctx, id); err != nil && !errors.Is(err, core.ErrNotFound) {
			return err
		}
		a, err := stores.Assistants.Assistant(ctx, id)
		if err == nil && a.UserID != actor.UserID() {
			err = core.NotFound("assistant")
		}
		if err != nil || !a.RevokedAt.IsZero() {
			return err
		}
		a.RevokedAt = as.clock.Now()
		return stores.Assistants.Revoke(ctx, &a)
	})
}

// endAssistants revokes the assistants of a deactivated account.
func endAssistants(ctx context.Context, stores ports.Stores, userID int64, now time.Time) error {
	all, err := stores.Assistants.AssistantsOf(ctx, userID)
	if err != nil {
		return err
	}
	for _, a := range all {
		if err := stores.Assistants.Lock(ctx, a.ID); err != nil {
			return err
		}
		if a, err = stores.Assistants.Assistant(ctx, a.ID); err != nil {
			return err
		}
		if !a.Valid(now) {
			continue
		}
		a.RevokedAt = now
		if err := stores.Assistants.Revoke(ctx, &a); err != nil {
			return err
		}
	}
	return nil
}
