package media

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// copyTimeout is the time limit of Copy.
const copyTimeout = 45 * time.Second

// LibraryOption configures a Library.
type LibraryOption func(*Library)

// WithFetcher sets the Fetcher of Copy.
func WithFetcher(f ports.Fetcher) LibraryOption { return func(l *Library) { l.fetcher = f } }

// Copy adds the file at an address of another site to the Project's library. It returns the item and
// Received.Warnings. Its errors are those of Receive, and core.ErrInvalid with the location url if the file cannot be loaded. A Library needs
// WithFetcher for it.
func (l *Library) Copy(ctx context.Context, actor core.Actor, project *core.Project, address string) (core.MediaItem, []string, error) {
	limited, cancel := context.WithTimeout(ctx, copyTimeout)
	defer cancel()
	received, err := l.fetch(limited, project, address)
	if err != nil {
		if ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
			err = core.Invalid(core.FieldError{Location: "url", Message: "cannot be loaded: its server is too slow", Value: core.Clip(address)})
		}
		return core.MediaItem{}, nil, err
	}
	defer received.Discard(ctx)
	item, err := l.Keep(ctx, actor, project, received, Change{})
	return item, received.Warnings(), err
}

func (l *Library) fetch(ctx context.Context, project *core.Project, address string) (*Received, error) {
	name, file, err := l.fetcher.Fetch(ctx, address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // its bytes are stored, or refused
	return l.Receive(ctx, project, name, file)
}
