package media

import (
	"context"
	"errors"
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

// put stores the parts that the blob store does not have.
func (s storage) put(ctx context.Context, parts []part) error {
	for _, p := range parts {
		there, err := s.blobs.Exists(ctx, p.name)
		if err == nil && !there {
			err = p.put(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hold adds one reference to each name, in a transaction, and stores missing bytes. Another
// process may have deleted unreferenced bytes before Hold; after Hold it cannot.
func (s storage) hold(ctx context.Context, blobs ports.BlobLedger, projectID int64, names []string, parts []part) error {
	if err := blobs.Hold(ctx, projectID, names); err != nil {
		return err
	}
	return s.put(ctx, parts)
}

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
