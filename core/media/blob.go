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

// part is bytes and the name that they are kept by.
type part struct {
	name string
	put  func(ctx context.Context) error // puts them there
}

// put puts those of the parts into the store that are not there yet.
func (d Deps) put(ctx context.Context, parts []part) error {
	for _, p := range parts {
		there, err := d.Blobs.Exists(ctx, p.name)
		if err == nil && !there {
			err = p.put(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hold makes sure, in a transaction, that the names are counted once more and that
// their bytes are there. From Hold on nobody can remove them: until then somebody
// may have, who knew of nothing that needs them.
func (d Deps) hold(ctx context.Context, stores ports.Stores, projectID int64, names []string, parts []part) error {
	if err := stores.Blobs.Hold(ctx, projectID, names); err != nil {
		return err
	}
	return d.put(ctx, parts)
}

// free removes the bytes of those names that nothing holds and returns how many of
// them there were. Bytes go before the transaction ends, under the lock of the name:
// who holds it next finds them gone and puts them back.
func (d Deps) free(ctx context.Context, projectID int64, names []string) (freed int64, err error) {
	err = d.Tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		freed, err = d.forget(ctx, stores, projectID, names)
		return err
	})
	return freed, err
}

func (d Deps) forget(ctx context.Context, stores ports.Stores, projectID int64, names []string) (freed int64, err error) {
	for _, name := range slices.Sorted(slices.Values(names)) { // in one order, as the ledger locks
		unheld, err := stores.Blobs.Forget(ctx, projectID, name)
		if err == nil && unheld {
			freed++
			err = d.Blobs.Delete(ctx, name)
		}
		if err != nil {
			return 0, err
		}
	}
	return freed, nil
}

// gone words the loss of what was being received: it waited for longer than the
// sweep keeps such things.
func gone(err error) error {
	if errors.Is(err, core.ErrNotFound) {
		return &core.Error{Kind: core.KindUnavailable, Code: "upload_expired", Message: "the upload took too long: send the file again", Err: err}
	}
	return err
}
