package approval

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// changeOf returns what a request for the draft of e, an entry of c, would change for readers. media are the sealed
// media of the draft.
func changeOf(ctx context.Context, library ports.ShownMedia, c *core.Collection, e *core.Entry, media core.Document) (review.SubmittedChange, error) {
	change := review.SubmittedChange{Collection: c, Locale: e.Locale, First: e.Published == nil}
	var seen core.Document
	if e.Published != nil {
		words := e.PublishedMedia
		if words == nil {
			var err error
			if words, err = ports.Seal(ctx, library, e.ProjectID, c, e.Published); err != nil {
				return change, err
			}
		}
		seen = review.ShownWith(c, e.Published, words)
	}
	change.Places = c.ChangedPlaces(seen, review.ShownWith(c, e.Draft, media))
	return change, nil
}
