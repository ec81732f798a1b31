package media

import "context"

// Rebuilder makes the variants of pictures again.
type Rebuilder struct{ Deps }

// NewRebuilder returns a Rebuilder.
func NewRebuilder(deps Deps) *Rebuilder { return &Rebuilder{deps} }

// RebuildOptions say of which pictures.
type RebuildOptions struct {
	ProjectID   int64 // 0: of every Project
	MissingOnly bool  // only of those without a variant
	After       int64 // only of those with an id over it: where to go on
}

// RebuildReport says what came of it.
type RebuildReport struct {
	Done   int64
	Failed []RebuildFault
	Last   int64 // the last id that was done with
}

// RebuildFault is a picture whose variants could not be made.
type RebuildFault struct {
	ID  int64
	Err error
}

// Rebuild makes the variants of pictures again, by id. progress, if not nil, is told
// after each how many are done with, and the id of the last.
func (r *Rebuilder) Rebuild(ctx context.Context, options RebuildOptions, progress func(done, last int64)) (RebuildReport, error) {
	return RebuildReport{}, errUnderWay
}
