package graphql

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// run executes a validated operation.
func (h *Handler) run(ctx context.Context, req *request, op *operation) result {
	ctx = graphql.WithOperationContext(ctx, &graphql.OperationContext{
		RawQuery:               req.query,
		OperationName:          op.definition.Name,
		Doc:                    op.document,
		Operation:              op.definition,
		Variables:              op.variables,
		RecoverFunc:            recovered,
		ResolverMiddleware:     resolve,
		RootResolverMiddleware: resolveRoot,
	})
	ctx = graphql.WithResponseContext(ctx, graphql.DefaultErrorPresenter, recovered)
	response := h.schema.Exec(ctx)(ctx)
	res := result{data: response.Data, extensions: graphql.GetExtensions(ctx)}
	for _, err := range graphql.GetErrors(ctx) {
		public := httpx.Report(ctx, err)
		if public.Kind == core.KindUnavailable {
			res.unavailable = public
		}
		res.errors = append(res.errors, publicError(ctx, err))
	}
	if string(res.data) != "null" {
		res.unavailable = nil
	}
	return res
}

func resolveRoot(ctx context.Context, next graphql.RootResolver) graphql.Marshaler { return next(ctx) }

// recovered converts a panic to an error for the log.
func recovered(_ context.Context, cause any) error {
	return fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
}

type callerKey struct{}

func withCaller(ctx context.Context, client caller) context.Context {
	return context.WithValue(ctx, callerKey{}, client)
}

func callerOf(ctx context.Context) caller {
	client, _ := ctx.Value(callerKey{}).(caller)
	return client
}
