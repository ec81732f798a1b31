package httpx

import (
	"context"
	"errors"
	"net/http"

	"imprimatur/core"
)

// outcomes maps each core.Kind to its HTTP status and GraphQL code.
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

// Status returns the HTTP status for kind.
func Status(kind core.Kind) int { return outcomes[kind].status }

// Code returns the GraphQL extensions.code for kind.
func Code(kind core.Kind) string { return outcomes[kind].code }

// Public returns the error that the client receives for err. A *core.Error is returned
// unchanged, a timeout or cancellation becomes KindUnavailable, and every other error
// becomes a KindInternal without details.
func Public(err error) *core.Error {
	var e *core.Error
	switch {
	case errors.As(err, &e) && e.Kind != core.KindInternal:
		return e
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &core.Error{Kind: core.KindUnavailable, Code: "timeout", Message: "request timed out, retry later", Err: err}
	default:
		return &core.Error{Kind: core.KindInternal, Code: "internal", Message: "internal server error", Err: err}
	}
}

// Report returns Public(err), and adds its cause to the log line of the request.
func Report(ctx context.Context, err error) *core.Error {
	public := Public(err)
	if public.Err != nil {
		RecordFault(ctx, public.Err)
	}
	return public
}
