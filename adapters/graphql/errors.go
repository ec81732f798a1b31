package graphql

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/ports"
)

// Codes of errors in a query. All other errors have the codes of httpx.Code.
const (
	codeParse      = "GRAPHQL_PARSE_FAILED"
	codeValidation = "GRAPHQL_VALIDATION_FAILED"
	codeVariable   = "BAD_USER_INPUT"
	codeComplexity = "QUERY_TOO_COMPLEX"
	codeTooLarge   = "QUERY_TOO_LARGE"
	codePersisted  = "PERSISTED_QUERY_NOT_FOUND"
)

const maxMessageLength = 500 // bytes

// queryError returns an error in a query.
func queryError(code, format string, args ...any) *gqlerror.Error {
	return &gqlerror.Error{Message: fmt.Sprintf(format, args...), Extensions: map[string]any{"code": code}}
}

// parseError converts an error of the parser.
func parseError(err error) *gqlerror.Error {
	parsed, ok := errors.AsType[*gqlerror.Error](err)
	if !ok {
		return queryError(codeParse, "invalid query")
	}
	if strings.HasPrefix(parsed.Message, "exceeded token limit") {
		return queryError(codeTooLarge, "the query has more than %d tokens", maxTokens)
	}
	syntax := queryError(codeParse, "%s", shorten(parsed.Message))
	syntax.Locations = parsed.Locations
	return syntax
}

// shorten shortens a message that quotes the query.
func shorten(message string) string {
	if len(message) <= maxMessageLength {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessageLength], "") + "…"
}

// publicError returns the error that the client receives for err; see httpx.Public. An
// internal error contains only the request id and the trace of ctx.
func publicError(ctx context.Context, err error) *gqlerror.Error {
	public := httpx.Public(err)
	extensions := map[string]any{"code": httpx.Code(public.Kind)}
	if len(public.Fields) > 0 {
		faults := make([]map[string]any, len(public.Fields))
		for i, field := range public.Fields {
			faults[i] = map[string]any{"location": field.Location, "message": field.Message}
		}
		extensions["errors"] = faults
	}
	if public.Kind == core.KindInternal || public.Kind == core.KindUnavailable {
		extensions["requestId"] = ports.RequestID(ctx)
		if trace := ports.Trace(ctx); trace != "" {
			extensions["traceparent"] = trace
		}
	}
	presented := &gqlerror.Error{Message: public.Message, Extensions: extensions}
	if located, ok := errors.AsType[*gqlerror.Error](err); ok {
		presented.Path, presented.Locations = located.Path, located.Locations
	}
	return presented
}
