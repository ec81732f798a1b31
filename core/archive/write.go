package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/klauspost/compress/zstd"

	"imprimatur/core"
	"imprimatur/ports"
)

// Source is what Write backs up.
type Source struct {
	Rows    ports.ArchiveSource
	Blobs   ports.BlobStore
	Version string // of the program
	Schema  string // its last migration
}

// Options tune Write.
type Options struct {
	Selection Selection
	Since     *Archive // of SinceBlobs
	Scratch   string   // a folder for temporary files; empty: that of the system
	// Progress, unless nil, is called with the numbers of rows and of bytes of blobs so far.
	Progress func(rows, bytes int64)
	// Missing, unless nil, is called with the name of each blob whose bytes are not in the blob store.
	Missing func(name string)
}

// Write writes an archive of the present moment to out. The caller keeps the bytes of blobs from being
// deleted meanwhile.
func Write(ctx context.Context, out io.Writer, from Source, opts Options) (*Manifest, error) {
	compressor, err := zstd.NewWriter(out, zstd.WithEncoderConcurrency(2), zstd.WithWindowSize(4<<20))
	if err != nil {
		return nil, err
	}
	w := &writer{
		ctx: ctx, tar: tar.NewWriter(compressor), from: from, opts: opts,
		manifest: Manifest{
			Format: Format, Version: from.Version, Schema: from.Schema, Counts: map[string]int64{},
			Blobs: Blobs{Selection: opts.Selection}, Parts: []Part{},
		},
	}
	if err := w.all(); err != nil {
		return nil, errors.Join(err, compressor.Close())
	}
	return &w.manifest, errors.Join(w.tar.Close(), compressor.Close())
}

// writer is an archive that is being written.
type writer struct {
	ctx      context.Context //nolint:containedctx // of one call
	tar      *tar.Writer
	from     Source
	opts     Options
	manifest Manifest
	at       time.Time // the modification time of all members

	rows  int64
	part  bytes.Buffer
	lines int64 // in part
}

func (w *writer) all() error {
	names, err := os.CreateTemp(w.opts.Scratch, "imprimatur-backup-")
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(names.Close(), os.Remove(names.Name())) }() // only the archive matters
	if err := w.from.Rows.Snapshot(w.ctx, w.opts.Scratch, func(s ports.ArchiveSnapshot) error { return w.snapshot(s, names) }); err != nil {
		return err
	}
	if _, err := names.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := w.blobs(names); err != nil {
		return err
	}
	text, err := json.Marshal(w.manifest)
	if err != nil {
		return err
	}
	return w.member(manifestName, text)
}

// snapshot writes the rows, and the names of the blobs to a file: their bytes may take hours, for which
// the snapshot would keep the database from cleaning up.
func (w *writer) snapshot(s ports.ArchiveSnapshot, names io.Writer) error {
	state, err := s.State(w.ctx)
	if err != nil {
		return err
	}
	w.at, w.manifest.Time, w.manifest.Epoch, w.manifest.LastIDs = state.At, core.FormatTime(state.At), state.Epoch, state.LastIDs
	for _, table := range w.from.Rows.ArchiveTables() {
		if err := w.table(s, table); err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	buffered := bufio.NewWriter(names)
	err = s.Blobs(w.ctx, func(name string) error {
		_, err := buffered.WriteString(name + "\n")
		return err
	})
	return errors.Join(err, buffered.Flush())
}

func (w *writer) table(s ports.ArchiveSnapshot, table string) error {
	parts, before := 0, w.rows
	flush := func() error {
		if w.lines == 0 {
			return nil
		}
		parts++
		return w.flush(fmt.Sprintf("tables/%s/%06d.jsonl", table, parts))
	}
	err := s.Rows(w.ctx, table, func(row []byte) error {
		w.rows++
		if w.add(row); w.part.Len() < partSize {
			return nil
		}
		w.progress()
		return flush()
	})
	if err == nil {
		err = flush()
	}
	w.manifest.Counts[table] = w.rows - before
	w.progress()
	return err
}

// add adds a line to the part.
func (w *writer) add(line []byte) {
	w.part.Write(line)
	w.part.WriteByte('\n')
	w.lines++
}

// flush writes the part under a name.
func (w *writer) flush(name string) error {
	sum := sha256.Sum256(w.part.Bytes())
	w.manifest.Parts = append(w.manifest.Parts, Part{name, int64(w.part.Len()), w.lines, hex.EncodeToString(sum[:])})
	err := w.member(name, w.part.Bytes())
	w.part.Reset()
	w.lines = 0
	return err
}

func (w *writer) member(name string, content []byte) error {
	if len(content) > maxPart {
		return fmt.Errorf("the part %s has %d bytes, more than %d", name, len(content), maxPart)
	}
	if err := w.begin(name, int64(len(content))); err != nil {
		return err
	}
	_, err := w.tar.Write(content)
	return err
}

func (w *writer) begin(name string, size int64) error {
	return w.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: w.at, Format: tar.FormatPAX})
}

func (w *writer) progress() {
	if w.opts.Progress != nil {
		w.opts.Progress(w.rows, w.manifest.Blobs.Bytes)
	}
}

// blobs writes the lists of names, and after each the bytes.
func (w *writer) blobs(names io.Reader) error {
	lists, list := 0, []string(nil)
	flush := func() error {
		if len(list) == 0 {
			return nil
		}
		lists++
		err := w.list(fmt.Sprintf("blobs/%06d.jsonl", lists), list)
		list = list[:0]
		return err
	}
	last := ""
	scanner := bufio.NewScanner(names)
	for scanner.Scan() {
		hash, ok := hashOf(scanner.Text())
		if !ok {
			return fmt.Errorf("the media name a file %q, whose name has no hash", scanner.Text())
		}
		if len(list) >= listSize && hash != last { // names of the same bytes are in one list
			if err := flush(); err != nil {
				return err
			}
		}
		list, last = append(list, scanner.Text()), hash
	}
	if err := scanner.Err(); err != nil {
		return err
	}
	return flush()
}

func (w *writer) list(part string, names []string) error {
	for _, name := range names {
		line, err := json.Marshal(named{name})
		if err != nil {
			return err
		}
		w.add(line)
	}
	w.manifest.Blobs.Named += int64(len(names))
	if err := w.flush(part); err != nil || w.opts.Selection == NoBlobs {
		return err
	}
	last := ""
	for _, name := range names {
		hash, _ := hashOf(name)
		if hash == last || w.opts.Since != nil && w.opts.Since.names(hash) {
			continue
		}
		stored, err := w.bytes(name, hash)
		if err != nil {
			return fmt.Errorf("file %s: %w", name, err)
		}
		if stored {
			last = hash
			w.progress()
		}
	}
	return nil
}

// named is a line of a list.
type named struct {
	Name string `json:"name"`
}

// bytes writes the bytes of a blob, and reports whether the blob store has them.
func (w *writer) bytes(name, hash string) (bool, error) {
	blob, err := w.from.Blobs.Open(w.ctx, name)
	if err == nil {
		defer blob.Close() //nolint:errcheck // only read
		sum := sha256.New()
		if _, err = io.Copy(sum, blob); err == nil && hex.EncodeToString(sum.Sum(nil)) == hash {
			return true, w.copy(blob, hash)
		}
	}
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return false, err
	}
	w.manifest.Blobs.Missing++
	if w.opts.Missing != nil {
		w.opts.Missing(name)
	}
	return false, nil
}

func (w *writer) copy(blob ports.Blob, hash string) error {
	if _, err := blob.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := w.begin("blobs/"+hash, blob.Size()); err != nil {
		return err
	}
	n, err := io.Copy(w.tar, blob)
	w.manifest.Blobs.Stored++
	w.manifest.Blobs.Bytes += n
	return err
}
