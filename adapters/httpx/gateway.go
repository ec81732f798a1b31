package httpx

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// DefaultBudget is what a token may spend when neither it nor the operator says
// otherwise.
var DefaultBudget = ports.Budget{Limit: 600, Window: time.Minute}

// maxSecret is longer than any credential of ours; longer ones are not looked up.
const maxSecret = 256

// Authenticator finds the actor that a credential stands for, or returns a
// core.Error of KindUnauthenticated.
type Authenticator interface {
	Token(ctx context.Context, secret string) (core.Actor, error)
	Session(ctx context.Context, id string) (core.Actor, error)
}

// Gateway learns who is calling. Each family of routes knows one credential and
// is blind to the other.
type Gateway struct {
	authenticator Authenticator
	limiter       ports.RateLimiter
	budget        ports.Budget
	cookies       Cookies
}

// NewGateway returns a Gateway. budget is what tokens without a limit of their own
// may spend; a Limit of 0 is no limit.
func NewGateway(authenticator Authenticator, limiter ports.RateLimiter, budget ports.Budget, cookies Cookies) *Gateway {
	return &Gateway{authenticator: authenticator, limiter: limiter, budget: budget, cookies: cookies}
}

// Token returns the actor of a content route: the holder of the token in the one
// Authorization header. It spends one request of the token's budget and sets the
// rate-limit headers. The error is KindUnauthenticated or KindTooManyRequests.
func (g *Gateway) Token(w http.ResponseWriter, r *http.Request) (core.Actor, error) {
	secret, ok := bearer(r.Header["Authorization"])
	if !ok {
		w.Header().Set("WWW-Authenticate", `Bearer realm="imprimatur"`)
		return core.Actor{}, core.Unauthenticated()
	}
	actor, err := g.authenticator.Token(r.Context(), secret)
	if err != nil {
		if core.KindOf(err) == core.KindUnauthenticated {
			w.Header().Set("WWW-Authenticate", `Bearer realm="imprimatur", error="invalid_token"`)
		}
		return core.Actor{}, err
	}
	recordActor(r.Context(), actor)
	return actor, g.spend(w, r, actor.Token)
}

// Session returns the actor of a dashboard route: the user of the session cookie.
// A request that may change something must come from our own pages. The error is
// KindUnauthenticated, or KindForbidden with code "cross_origin".
func (g *Gateway) Session(w http.ResponseWriter, r *http.Request) (core.Actor, error) {
	id, ok := g.cookies.Read(r)
	if !ok {
		w.Header().Set("WWW-Authenticate", g.cookies.challenge)
		return core.Actor{}, core.Unauthenticated()
	}
	if changes(r.Method) && !g.cookies.ownPage(r) {
		return core.Actor{}, crossOrigin()
	}
	actor, err := g.authenticator.Session(r.Context(), id)
	if err != nil {
		if core.KindOf(err) == core.KindUnauthenticated {
			w.Header().Set("WWW-Authenticate", g.cookies.challenge)
		}
		return core.Actor{}, err
	}
	recordActor(r.Context(), actor)
	return actor, nil
}

// SignIn refuses the one change that needs no session, signing in, when it comes
// from another site's page. It rests on the password and not on a cookie, so a
// program that names no page may do it, whatever cookie it brings along. It returns
// the session that the caller had before, or "".
func (g *Gateway) SignIn(r *http.Request) (previous string, err error) {
	previous, _ = g.cookies.Read(r)
	sentByProgram := len(r.Header["Origin"]) == 0 && len(r.Header["Sec-Fetch-Site"]) == 0
	if !sentByProgram && !g.cookies.ownPage(r) {
		return "", crossOrigin()
	}
	return previous, nil
}

// spend takes one request from the token's budget and tells the caller what is left.
func (g *Gateway) spend(w http.ResponseWriter, r *http.Request, token *core.Token) error {
	budget := g.budget
	if token.RateLimit != nil {
		budget.Limit = *token.RateLimit
	}
	if budget.Limit <= 0 {
		return nil
	}
	spending, err := g.limiter.Take(r.Context(), budgetKey(token, budget), budget, 1)
	if err != nil {
		return err
	}
	writeRateLimit(w.Header(), budget, spending)
	if spending.Allowed {
		return nil
	}
	return &core.Error{
		Kind: core.KindTooManyRequests, Code: "rate_limited",
		Message: "this token has spent its requests for now", RetryAfter: max(spending.RetryAfter, time.Second),
	}
}

// budgetKey names the token's budget. One with another limit is another budget: it
// starts whole, whatever was spent of the one before.
func budgetKey(token *core.Token, budget ports.Budget) string {
	return "token:" + strconv.FormatInt(token.ID, 10) + ":" + strconv.Itoa(budget.Limit)
}

// writeRateLimit sets the fields of the IETF draft on rate-limit headers: the
// policy's quota q over a window of w seconds, and what remains, r, for t seconds.
func writeRateLimit(h http.Header, budget ports.Budget, left ports.Spending) {
	h["Ratelimit-Policy"] = []string{`"default";q=` + strconv.Itoa(budget.Limit) + ";w=" + wholeSeconds(budget.Window)}
	h["Ratelimit"] = []string{`"default";r=` + strconv.Itoa(left.Remaining) + ";t=" + wholeSeconds(left.ResetAfter)}
}

// bearer returns the secret of the only Authorization header, whose scheme may be
// in any case.
func bearer(values []string) (string, bool) {
	if len(values) != 1 {
		return "", false
	}
	scheme, secret, _ := strings.Cut(values[0], " ")
	secret = strings.Trim(secret, " ")
	return secret, strings.EqualFold(scheme, "Bearer") && secret != "" && len(secret) <= maxSecret
}

func changes(method string) bool {
	return method != http.MethodGet && method != http.MethodHead
}
