package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"imprimatur/core"
	"imprimatur/ports"
)

// Target is where an archive is restored.
type Target struct {
	Rows  ports.ArchiveTarget
	Blobs ports.BlobStore // nil: bytes are not restored
	// Index makes the index of all entries.
	Index func(ctx context.Context) error
}

// RestoreOptions tune Restore.
type RestoreOptions struct {
	// Earlier are archives with the bytes that the archive was made without.
	Earlier []*Archive
	// AllowMissing restores an archive of SinceBlobs although bytes are missing.
	AllowMissing bool
	// Progress, unless nil, is called with the numbers of rows and of bytes of blobs so far.
	Progress func(rows, bytes int64)
	// Missing, unless nil, is called with the name of each blob without bytes.
	Missing func(name string)
}

// Restore restores the archive into an empty database. It changes nothing if the database is not empty
// or bytes are missing. If it fails later, or is killed, the database is marked and works with nothing
// but another Restore, which begins from the start.
func (a *Archive) Restore(ctx context.Context, to Target, opts RestoreOptions) error {
	r := &restore{ctx: ctx, archive: a, to: to, opts: opts}
	if a.Blobs.Selection == SinceBlobs && to.Blobs != nil && !opts.AllowMissing {
		if err := r.complete(); err != nil {
			return err
		}
	}
	if err := to.Rows.BeginRestore(ctx); err != nil {
		return err
	}
	for _, earlier := range opts.Earlier {
		if err := r.blobsOf(earlier); err != nil {
			return err
		}
	}
	if err := walk(ctx, a.path, visitor{part: r.part, blob: r.blob, other: a.other}); err != nil {
		return err
	}
	if err := r.endList(); err != nil {
		return err
	}
	if err := to.Rows.DeriveRows(ctx); err != nil {
		return err
	}
	if err := to.Index(ctx); err != nil {
		return err
	}
	return to.Rows.FinishRestore(ctx, ports.ArchiveState{Epoch: a.Epoch, LastIDs: a.LastIDs})
}

// restore is one run of Restore.
type restore struct {
	ctx     context.Context //nolint:containedctx // of one call
	archive *Archive
	to      Target
	opts    RestoreOptions

	rows, bytes int64
	list        map[string][]string // the names of the present list without bytes, by hash
}

func (a *Archive) other(name string) error {
	return damaged("the file was replaced by one with %q", name)
}

// checked returns an error unless the content is that of the part as it was checked.
func (a *Archive) checked(name string, content []byte) error {
	sum := sha256.Sum256(content)
	if name != manifestName && a.parts[name].SHA256 != hex.EncodeToString(sum[:]) {
		return damaged("the part %s has changed since it was checked", name)
	}
	return nil
}

func (r *restore) part(name string, content []byte) error {
	if err := r.archive.checked(name, content); err != nil {
		return err
	}
	if name == manifestName {
		return nil
	}
	if table := tablePart.FindStringSubmatch(name); table != nil {
		return r.insert(table[1], name, content)
	}
	return r.beginList(name, content)
}

func (r *restore) insert(table, part string, content []byte) error {
	var rows [][]byte
	for line := range bytes.Lines(content) {
		rows = append(rows, line)
	}
	if err := r.to.Rows.InsertRows(r.ctx, table, rows); err != nil {
		return fmt.Errorf("part %s: %w", part, err)
	}
	r.rows += int64(len(rows))
	r.progress()
	return nil
}

func (r *restore) progress() {
	if r.opts.Progress != nil {
		r.opts.Progress(r.rows, r.bytes)
	}
}

func (r *restore) beginList(part string, content []byte) error {
	if err := r.endList(); err != nil || r.to.Blobs == nil {
		return err
	}
	r.list = map[string][]string{}
	return eachName(part, content, func(name, hash string) error {
		r.list[hash] = append(r.list[hash], name)
		return nil
	})
}

// endList reports the names of the list that have no bytes.
func (r *restore) endList() error {
	for _, names := range r.list {
		for _, name := range names {
			there, err := r.to.Blobs.Exists(r.ctx, name)
			if err != nil {
				return err
			}
			if !there && r.opts.Missing != nil {
				r.opts.Missing(name)
			}
		}
	}
	r.list = nil
	return nil
}

// blob stores the bytes under all names that the list has for them.
func (r *restore) blob(sum string, content io.Reader) error {
	if r.to.Blobs == nil {
		return nil
	}
	names := r.list[sum]
	if len(names) == 0 {
		return damaged("the bytes blobs/%s are in the wrong place", sum)
	}
	delete(r.list, sum)
	for i, name := range names {
		var err error
		if i == 0 {
			counted := &verified{Reader: content, sum: sha256.New(), want: sum}
			err = r.to.Blobs.Create(r.ctx, name, counted)
			r.bytes += counted.n
		} else {
			err = r.to.Blobs.Copy(r.ctx, names[0], name)
		}
		if err != nil {
			return fmt.Errorf("file %s: %w", name, err)
		}
	}
	r.progress()
	return nil
}

// verified fails at the end of bytes with another hash, so that a blob store does not keep them.
type verified struct {
	io.Reader
	sum  hash.Hash
	want string
	n    int64
}

func (v *verified) Read(p []byte) (int, error) {
	n, err := v.Reader.Read(p)
	v.sum.Write(p[:n])
	v.n += int64(n)
	if errors.Is(err, io.EOF) && hex.EncodeToString(v.sum.Sum(nil)) != v.want {
		return n, damaged("the bytes blobs/%s have changed since they were checked", v.want)
	}
	return n, err
}

// blobsOf restores the bytes of an earlier archive, also those that nothing refers to any more: a sweep
// deletes these.
func (r *restore) blobsOf(earlier *Archive) error {
	if r.to.Blobs == nil {
		return nil
	}
	err := walk(r.ctx, earlier.path, visitor{
		part: func(name string, content []byte) error {
			if err := earlier.checked(name, content); err != nil || !blobList.MatchString(name) {
				return err
			}
			r.list = nil // names without bytes may be in another archive
			return r.beginList(name, content)
		},
		blob: r.blob, other: earlier.other,
	})
	r.list = nil
	return err
}

// complete returns an error unless the bytes of all names are in the archive, in an earlier one or in
// the blob store.
func (r *restore) complete() error {
	missing := 0
	list := map[string][]string{}
	flush := func() error {
		for hash, names := range list {
			for _, name := range names {
				there, err := r.has(name, hash)
				if err != nil {
					return err
				}
				if !there {
					missing++
				}
			}
		}
		clear(list)
		return nil
	}
	err := walk(r.ctx, r.archive.path, visitor{
		part: func(name string, content []byte) error {
			if err := r.archive.checked(name, content); err != nil || !blobList.MatchString(name) {
				return err
			}
			if err := flush(); err != nil {
				return err
			}
			return eachName(name, content, func(name, hash string) error {
				list[hash] = append(list[hash], name)
				return nil
			})
		},
		blob: func(hash string, _ io.Reader) error {
			delete(list, hash)
			return nil
		},
		other: r.archive.other,
	})
	if err == nil {
		err = flush()
	}
	if err == nil && missing > 0 {
		return core.Conflict("missing_files", "the bytes of %d files are neither in this archive nor in the blob store: name the archives before it with --with, or restore without them with --allow-missing", missing)
	}
	return err
}

func (r *restore) has(name, hash string) (bool, error) {
	for _, earlier := range r.opts.Earlier {
		if earlier.names(hash) {
			return true, nil
		}
	}
	return r.to.Blobs.Exists(r.ctx, name)
}
