package approval

import (
	"context"
	"io"

	"imprimatur/core"
	"imprimatur/ports"
)

// Exporter exports approval requests with their audit record.
type Exporter struct {
	requests    ports.RequestStore
	collections ports.CollectionStore
}

// NewExporter returns an Exporter.
func NewExporter(requests ports.RequestStore, collections ports.CollectionStore) *Exporter {
	return &Exporter{requests, collections}
}

// Export writes the Project's requests as JSON Lines, oldest first, each with its verified record:
// a line has the members of a request and the members of an Audit. Export calls progress, unless
// it is nil, with the number of lines written so far. It returns the number of lines.
func (x *Exporter) Export(ctx context.Context, project *core.Project, w io.Writer, progress func(requests int64)) (int64, error) {
	written := int64(0)
	for last := int64(0); ; {
		requests, err := x.requests.Walk(ctx, project.ID, last, walkBatch)
		if err != nil || len(requests) == 0 {
			return written, err
		}
		for _, r := range requests {
			line, err := x.line(ctx, r)
			if err != nil {
				return written, err
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
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

func (x *Exporter) line(ctx context.Context, r core.Request) ([]byte, error) {
	collection, err := collectionOf(ctx, x.collections, &r)
	if err != nil {
		return nil, err
	}
	a, err := audit(ctx, x.requests, r)
	if err != nil {
		return nil, err
	}
	// Both types have a member "actions". The less nested one, of AuditRecord, is encoded.
	type request struct{ ShownRequest }
	return core.EncodeJSON(struct {
		request
		AuditRecord
	}{request{showRequest(&r, titleOf(&r, collection), shown(&r, collection), nil)}, showRecord(a)})
}
