package media

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// blobName returns the name of the blob with that hex SHA-256. project is the Project's UUID.
func blobName(project, hash, extension string) string { return project + "/" + hash + extension }

// part is a blob to store, with its name.
type part struct {
	name string
	put  func(ctx context.Context) error // stores the bytes
}

// storage stores and deletes blobs. The ledger in the database counts their references.
type storage struct {
	stores ports.Stores
	tx     ports.Tx
	blobs  ports.BlobStore
}

// stored are parts in the blob store, with the marks that their names had before that.
type stored struct {
	parts []part
	marks map[string]int64
}

// put stores the parts, unless the ledger knows their names and the blob store has their bytes. What
// is not held after that has no references, so a sweep deletes it.
func (s storage) put(ctx context.Context, projectID int64, parts []part) (put stored, err error) {
	put.parts = parts
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.name
	}
	mark := rand.Int64()
	if err := s.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) (err error) {
		put.marks, err = stores.Blobs.Reserve(ctx, projectID, unique(names), mark)
		return err
	}); err != nil {
		return put, err
	}
	for _, p := range parts {
		if put.marks[p.name] == mark {
			err = p.put(ctx)
		} else {
			err = s.putMissing(ctx, p)
		}
		if err != nil {
			return put, err
		}
	}
	return put, nil
}

func (s storage) putMissing(ctx context.Context, p part) error {
	there, err := s.blobs.Exists(ctx, p.name)
	if err != nil || there {
		return err
	}
	return p.put(ctx)
}

// hold adds one reference to each name, in a transaction, and stores missing bytes of the parts that
// were put. Another process may have deleted unreferenced bytes before Hold, which changes the mark of
// their name; after Hold it cannot.
func (s storage) hold(ctx context.Context, blobs ports.BlobLedger, projectID int64, names []string, put stored) error {
	if err := blobs.Hold(ctx, projectID, names); err != nil {
		return err
	}
	marks, err := blobs.Marks(ctx, projectID, names)
	if err != nil {
		return err
	}
	for _, p := range put.parts {
		if mark, held := marks[p.name]; held && mark != put.marks[p.name] {
			if err := s.putMissing(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// unique returns the elements of names, each once.
func unique(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }

// free deletes the bytes of the names that have no references, and returns their number. It
// deletes them before the transaction ends, while the name is locked: the next hold of the name
// finds them missing and stores them again.
func (s storage) free(ctx context.Context, projectID int64, names []string) (freed int64, err error) {
	err = s.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		freed, err = s.forget(ctx, stores, projectID, names)
		return err
	})
	return freed, err
}

// forget deletes the bytes of names without references, and those of the renditions that were made of
// them. While a backup is running it deletes nothing: its rows may still refer to them.
func (s storage) forget(ctx context.Context, stores ports.Stores, projectID int64, names []string) (freed int64, err error) {
	if held, err := stores.Holds.Held(ctx); held || err != nil {
		return 0, err
	}
	for _, name := range slices.Sorted(slices.Values(names)) { // in one order, so that two transactions cannot deadlock
		unheld, err := stores.Blobs.Forget(ctx, projectID, name)
		if err == nil && unheld {
			freed++
			err = s.deleteWithRenditions(ctx, stores.Renditions, projectID, name)
		}
		if err != nil {
			return 0, err
		}
	}
	return freed, nil
}

// expired replaces core.ErrNotFound of a temporary blob: a sweep deleted the blob, because the
// upload took too long.
func expired(err error) error {
	if errors.Is(err, core.ErrNotFound) {
		return &core.Error{Kind: core.KindUnavailable, Code: "upload_expired", Message: "the upload took too long: send the file again", Err: err}
	}
	return err
}
