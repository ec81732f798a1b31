package httpx

import (
	"context"
	"errors"
	"net/http"

	"imprimatur/core"
)

// outcomes is the one table from the core's kinds of error to the wire.
var outcomes = [...]struct {
	status int
	code   string
}{
	core.KindInternal:           {http.StatusInternalServerError, "INTERNAL"},
	core.KindBadRequest:         {http.StatusBadRequest, "BAD_USER_INPUT"},
	core.KindInvalid:            {http.StatusUnprocessableEntity, "BAD_USER_INPUT"},
	core.KindUnauthenticated:    {http.StatusUnauthorized, "UNAUTHENTICATED"},
	core.KindForbidden:          {http.StatusForbidden, "FORBIDDEN"},
	core.KindNotFound:           {http.StatusNotFound, "NOT_FOUND"},
	core.KindConflict:           {http.StatusConflict, "CONFLICT"},
	core.KindPreconditionFailed: {http.StatusPreconditionFailed, "PRECONDITION_FAILED"},
	core.KindTooLarge:           {http.StatusRequestEntityTooLarge, "TOO_LARGE"},
	core.KindUnsupportedMedia:   {http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE"},
	core.KindTooManyRequests:    {http.StatusTooManyRequests, "RATE_LIMITED"},
	core.KindUnavailable:        {http.StatusServiceUnavailable, "UNAVAILABLE"},
	core.KindStorageFull:        {http.StatusInsufficientStorage, "STORAGE_FULL"},
}

// Status returns the HTTP status of an error of that kind.
func Status(kind core.Kind) int { return outcomes[kind].status }

// Code returns what GraphQL puts in extensions.code for an error of that kind.
func Code(kind core.Kind) string { return outcomes[kind].code }

// Public returns what the caller may read of err. A deliberate error passes as it
// is; running out of time becomes KindUnavailable; everything else becomes one
// sentence that tells nothing. Use RecordFault to keep the cause for the log.
func Public(err error) *core.Error {
	var e *core.Error
	switch {
	case errors.As(err, &e) && e.Kind != core.KindInternal:
		return e
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &core.Error{Kind: core.KindUnavailable, Code: "timeout", Message: "the answer took too long", Err: err}
	default:
		return &core.Error{Kind: core.KindInternal, Code: "internal", Message: "something went wrong on our side", Err: err}
	}
}
