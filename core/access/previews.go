package access

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// Previews makes previews. It is safe for concurrent use.
type Previews struct {
	tx    ports.Tx
	clock ports.Clock
}

// NewPreviews returns Previews.
func NewPreviews(tx ports.Tx, clock ports.Clock) *Previews { return &Previews{tx, clock} }

// Create makes a preview for the session of the actor, and returns it with its secret, which cannot be read later. With
// core.MaxPreviews the oldest preview of the session ends.
func (p *Previews) Create(ctx context.Context, actor core.Actor, preview core.Preview) (core.Preview, string, error) {
	text := NewPreviewSecret()
	preview.Hash, preview.Session, preview.CreatedAt = secret.Hash(text), actor.Session, p.clock.Now()
	preview.ExpiresAt = preview.CreatedAt.Add(core.PreviewLifetime)
	err := p.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return stores.Previews.Insert(ctx, preview) })
	return preview, text, err
}
