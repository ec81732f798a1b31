package content

import (
	"context"
	"time"

	"imprimatur/core"
)

// Publish wants the entry's draft public, at the given time or, when at is nil or
// past, at once. Where a workflow governs the Project the wish becomes a request
// and pending is true.
func (w *Writer) Publish(ctx context.Context, actor core.Actor, project *core.Project, collectionID, id int64, at *time.Time, ifMatch *int64) (m *Managed, pending bool, err error) {
	return nil, false, nil
}
