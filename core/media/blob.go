package media

import (
	"context"
	"errors"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// blobName is the name under which a Project keeps bytes of that SHA-256, in hex.
func blobName(project, hash, extension string) string { return project + "/" + hash + extension }

// part is a blob to store, with its name.
type part struct {
	name string
	put  func(ctx context.Context) error // stores the bytes
}

// storage stores and deletes the bytes that the ledger in the database counts.
type storage struct {
	stores ports.Stores
	tx     ports.Tx
	blobs  ports.BlobStore
}

// put stores those of the parts that the store does not have.
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

// hold counts the names once more, in a transaction, and stores their bytes if they are missing.
// Another process may have deleted unused bytes before Hold; after Hold none can.
func (s storage) hold(ctx context.Context, blobs ports.BlobLedger, projectID int64, names []string, parts []part) error {
	if err := blobs.Hold(ctx, projectID, names); err != nil {
		return err
	}
	return s.put(ctx, parts)
}

// free deletes the bytes of those names that nothing holds, and returns their number. It
// deletes them before the transaction ends, under the lock of the name: the next hold of the
// name finds them missing and stores them again.
func (s storage) free(ctx context.Context, projectID int64, names []string) (freed int64, err error) {
	err = s.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		freed, err = s.forget(ctx, stores.Blobs, projectID, names)
		return err
	})
	return freed, err
}

func (s storage) forget(ctx context.Context, blobs ports.BlobLedger, projectID int64, names []string) (freed int64, err error) {
	for _, name := range slices.Sorted(slices.Values(names)) { // in one order, so that two transactions cannot deadlock
		unheld, err := blobs.Forget(ctx, projectID, name)
		if err == nil && unheld {
			freed++
			err = s.blobs.Delete(ctx, name)
		}
		if err != nil {
			return 0, err
		}
	}
	return freed, nil
}

// expired replaces core.ErrNotFound for temporary bytes: the upload took longer than the sweep
// keeps them.
func expired(err error) error {
	if errors.Is(err, core.ErrNotFound) {
		return &core.Error{Kind: core.KindUnavailable, Code: "upload_expired", Message: "the upload took too long: send the file again", Err: err}
	}
	return err
}
