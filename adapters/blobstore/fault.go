package blobstore

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"syscall"
	"time"

	"gocloud.dev/gcerrors"

	"imprimatur/core"
)

// errName is the result for an invalid name: such a blob cannot exist.
var errName = core.NotFound("file")

// fault converts an error of the bucket to an error of ports.BlobStore.
func fault(err error) error {
	_, known := errors.AsType[*core.Error](err)
	switch {
	case err == nil, known, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case full(err):
		return &core.Error{Kind: core.KindStorageFull, Code: "storage_full", Message: "no space left for files", Err: err}
	case gcerrors.Code(err) == gcerrors.NotFound || noFile(err):
		return &core.Error{Kind: core.KindNotFound, Code: errName.Code, Message: errName.Message, Err: err}
	default:
		return unavailable(err)
	}
}

// writeFault converts an error of a write. "Not found" becomes KindUnavailable: a folder
// or a partial file was removed during the write.
func writeFault(err error) error {
	if err = fault(err); errors.Is(err, core.ErrNotFound) {
		return unavailable(err)
	}
	return err
}

func unavailable(err error) error {
	return &core.Error{
		Kind: core.KindUnavailable, Code: "unavailable", Message: "file storage unavailable, retry later",
		RetryAfter: time.Second, Err: err,
	}
}

// noFile reports whether the error means that no file can have the name: a part of the
// path is a file, the whole path is a folder, or the name is too long.
func noFile(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR) ||
		errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.ENAMETOOLONG)
}

// fullCodes are the S3 error codes of servers with a full disk.
var fullCodes = []string{"InsufficientStorage", "NoSpaceLeft", "QuotaExceeded", "XMinioStorageFull"}

func full(err error) bool {
	var named interface{ ErrorCode() string }
	var answered interface{ HTTPStatusCode() int }
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		errors.As(err, &named) && slices.Contains(fullCodes, named.ErrorCode()) ||
		errors.As(err, &answered) && answered.HTTPStatusCode() == http.StatusInsufficientStorage
}
