package archive

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"imprimatur/ports"
)

const (
	// holdLifetime is how long a hold outlives a backup that was killed.
	holdLifetime = 10 * time.Minute
	// holdRenewal is the time between two renewals.
	holdRenewal = time.Minute
)

// Hold keeps the bytes of blobs from being deleted until stop is called. The context that it returns
// ends when the hold could not be renewed in time.
func Hold(ctx context.Context, holds ports.HoldStore) (held context.Context, stop func() error, err error) {
	id := "backup " + uuid.NewString()
	if err := holds.Keep(ctx, id, holdLifetime); err != nil {
		return nil, nil, err
	}
	held, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		renew(held, cancel, func() error { return holds.Keep(held, id, holdLifetime) })
	}()
	return held, func() error {
		cancel(nil)
		<-ended
		return holds.End(context.WithoutCancel(ctx), id)
	}, nil
}

// renew calls keep again and again until ctx ends. It cancels ctx when keep has failed for so long that
// the hold may have ended.
func renew(ctx context.Context, cancel context.CancelCauseFunc, keep func() error) {
	ticker := time.NewTicker(holdRenewal)
	defer ticker.Stop()
	for renewed := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		began := time.Now()
		err := keep()
		if err == nil {
			renewed = began
		} else if time.Since(renewed) > holdLifetime-2*holdRenewal {
			cancel(fmt.Errorf("files can no longer be kept from being deleted: %w", err))
			return
		}
	}
}
