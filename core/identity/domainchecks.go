package identity

import (
	"context"
	"errors"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/ports"
)

// The record of a claimed domain is looked up once in recordInterval. When it is missing for recordGrace, the claim ends.
const (
	recordInterval = 24 * time.Hour
	recordGrace    = 7 * 24 * time.Hour
	recordBatch    = 20 // domains of one Recheck
)

// Recheck looks up the records of claimed domains that were last looked up a day ago. A claim whose record is missing for 7
// days ends: its provider is switched off, and the admins of the Tenant get a notice. An answer that cannot be read ends no
// claim. more reports whether further domains may be due. Several processes may call Recheck at the same time.
func (p *Providers) Recheck(ctx context.Context) (more bool, err error) {
	now, err := p.stores.Clock.Now(ctx)
	if err != nil {
		return false, err
	}
	due, err := p.stores.Domains.Due(ctx, now.Add(-recordInterval), recordBatch)
	if err != nil {
		return false, err
	}
	for _, c := range due {
		found, unread := p.outside.Records(ctx, c.Domain)
		if err := ctx.Err(); err != nil {
			return false, err
		}
		c.CheckedAt = now
		switch {
		case unread != nil:
		case slices.Contains(found, p.record(c.TenantID, c.Domain)):
			c.MissingSince = time.Time{}
		case c.MissingSince.IsZero():
			c.MissingSince = now
		}
		lost := unread == nil && !c.MissingSince.IsZero() && !now.Before(c.MissingSince.Add(recordGrace))
		if err := p.checked(ctx, c, lost); err != nil {
			return false, err
		}
	}
	return len(due) == recordBatch, nil
}

// checked stores the result of a check, or ends the claim. A claim that was removed meanwhile is left alone.
func (p *Providers) checked(ctx context.Context, c account.DomainClaim, lost bool) error {
	err := p.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if !lost {
			return stores.Domains.Checked(ctx, c)
		}
		if err := stores.Providers.Lock(ctx, c.TenantID, c.ProviderID); err != nil {
			return err
		}
		if err := stores.Domains.Remove(ctx, c); err != nil {
			return err
		}
		return p.endLost(ctx, stores, c)
	})
	if errors.Is(err, core.ErrNotFound) {
		return nil
	}
	return err
}

// endLost switches the provider of a lost claim off, and records the loss for each admin of the Tenant.
func (p *Providers) endLost(ctx context.Context, stores ports.Stores, c account.DomainClaim) error {
	provider, err := stores.Providers.Provider(ctx, c.TenantID, c.ProviderID)
	if err != nil {
		return err
	}
	if provider.State == account.ProviderOn {
		provider.State, provider.UpdatedAt = account.ProviderOff, later(p.clock.Now(), provider.UpdatedAt)
		if err := stores.Providers.Update(ctx, provider); err != nil {
			return err
		}
	}
	admins, err := stores.Grants.TenantMembers(ctx, c.TenantID)
	if err != nil {
		return err
	}
	for _, admin := range admins {
		if err := stores.Events.Record(ctx, event.Event{Type: event.DomainLost, TenantID: c.TenantID, SubjectID: admin.UserID, Place: c.Domain}); err != nil {
			return err
		}
	}
	return nil
}
