package approval

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Exporter exports approval requests with their audit record.
type Exporter struct{ stores ports.Stores }

// NewExporter returns an Exporter that reads from stores.
func NewExporter(stores ports.Stores) *Exporter { return &Exporter{stores} }

// Exported is a request with its verified record. View has no members that depend on a user.
type Exported struct {
	View
	Audit *Audit
}

// Export calls write with each request of the Project, oldest first. It calls progress, unless it is
// nil, with the number of requests written so far. It returns the number of requests, and the first
// error of write.
func (x *Exporter) Export(ctx context.Context, project *core.Project, write func(Exported) error, progress func(requests int64)) (int64, error) {
	written := int64(0)
	for last := int64(0); ; {
		requests, err := x.stores.Requests.Walk(ctx, project.ID, last, walkBatch)
		if err != nil || len(requests) == 0 {
			return written, err
		}
		for _, r := range requests {
			exported, err := x.export(ctx, r)
			if err == nil {
				err = write(exported)
			}
			if err != nil {
				return written, err
			}
			written++
			last = r.ID
		}
		if progress != nil {
			progress(written)
		}
	}
}

func (x *Exporter) export(ctx context.Context, r review.Request) (Exported, error) {
	a, err := audit(ctx, x.stores, r)
	if r.Release != nil || err != nil {
		return Exported{View{Request: r, Title: r.Title()}, a}, err
	}
	collection, err := collectionOf(ctx, x.stores.Collections, r.ProjectID, r.Item())
	return Exported{View{Request: r, Title: titleOf(r.Item(), collection), Shown: shown(r.Item(), collection)}, a}, err
}
