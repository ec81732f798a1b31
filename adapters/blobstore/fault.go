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

// errName answers for a name that the port does not know: nothing is there.
var errName = core.NotFound("file")

// fault words an error of the store for the port.
func fault(err error) error {
	var known *core.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case full(err):
		return &core.Error{Kind: core.KindStorageFull, Code: "storage_full", Message: "there is no room left for files", Err: err}
	case gcerrors.Code(err) == gcerrors.NotFound || noFile(err):
		return &core.Error{Kind: core.KindNotFound, Code: errName.Code, Message: errName.Message, Err: err}
	default:
		return unavailable(err)
	}
}

// lost words an error of writing, to which it is no answer that nothing is there: a
// folder or a file half written was taken away.
func lost(err error) error {
	if err = fault(err); errors.Is(err, core.ErrNotFound) {
		return unavailable(err)
	}
	return err
}

func unavailable(err error) error {
	return &core.Error{
		Kind: core.KindUnavailable, Code: "unavailable", Message: "the file storage is not available at the moment",
		RetryAfter: time.Second, Err: err,
	}
}

// noFile reports whether a name leads through a file or to a folder.
func noFile(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.ENAMETOOLONG)
}

// fullCodes are what servers of the S3 protocol call a disk that is full.
var fullCodes = []string{"InsufficientStorage", "NoSpaceLeft", "QuotaExceeded", "XMinioStorageFull"}

func full(err error) bool {
	var named interface{ ErrorCode() string }
	var answered interface{ HTTPStatusCode() int }
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		errors.As(err, &named) && slices.Contains(fullCodes, named.ErrorCode()) ||
		errors.As(err, &answered) && answered.HTTPStatusCode() == http.StatusInsufficientStorage
}
