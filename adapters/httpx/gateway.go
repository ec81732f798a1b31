package httpx

import (
	"context"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/assistant"
	"imprimatur/ports"
)

// DefaultBudget is the rate limit of a token when neither the token nor the operator sets
// one.
var DefaultBudget = ports.Budget{Limit: 600, Window: time.Minute}

// maxSecret is the longest credential that is looked up. All valid credentials are
// shorter.
const maxSecret = 256

// Authenticator returns the actor of a credential, or a core.Error of
// KindUnauthenticated.
type Authenticator interface {
	Token(ctx context.Context, secret string, ability core.Ability) (core.Actor, error)
	Session(ctx context.Context, id string, exempt account.Exempt) (core.Actor, error)
	Assistant(ctx context.Context, secret string) (core.Actor, error)
	Preview(ctx context.Context, secret string) (core.Actor, error)
}

// Gateway authenticates requests. The content API accepts only tokens, the dashboard API
// only sessions. It is safe for concurrent use.
type Gateway struct {
	authenticator Authenticator
	limiter       ports.RateLimiter
	budget        ports.Budget
	assistants    assistant.Budget
	cookies       Cookies
}

// NewGateway returns a Gateway. budget is the rate limit of tokens without a limit of
// their own; a Limit of 0 means no limit.
func NewGateway(authenticator Authenticator, limiter ports.RateLimiter, budget ports.Budget, cookies Cookies) *Gateway {
	return &Gateway{authenticator: authenticator, limiter: limiter, budget: budget, assistants: assistant.DefaultBudget, cookies: cookies}
}

// WithAssistants sets the budget of the assistants of each user, and returns g. The default is
// assistant.DefaultBudget.
func (g *Gateway) WithAssistants(budget assistant.Budget) *Gateway {
	g.assistants = budget
	return g
}

// Token returns the actor of a content API request that needs the ability, identified by the token
// in its only Authorization header. It takes one request from the budget of the token and sets the
// rate-limit headers. The error is KindUnauthenticated or KindTooManyRequests.
func (g *Gateway) Token(w http.ResponseWriter, r *http.Request, ability core.Ability) (core.Actor, error) {
	secret, ok := bearer(r.Header["Authorization"])
	if !ok {
		w.Header().Set("WWW-Authenticate", `Bearer realm="imprimatur"`)
		return core.Actor{}, core.Unauthenticated()
	}
	actor, err := g.authenticator.Token(r.Context(), secret, ability)
	if err != nil {
		if core.KindOf(err) == core.KindUnauthenticated {
			w.Header().Set("WWW-Authenticate", `Bearer realm="imprimatur", error="invalid_token"`)
		}
		return core.Actor{}, err
	}
	recordActor(r.Context(), actor)
	return actor, g.spend(w, r, actor.Token)
}

// previewBudget is the rate limit of each preview.
var previewBudget = ports.Budget{Limit: 600, Window: time.Minute}

// FromPreview reports whether the request has the credential of a preview, which may not be valid.
func FromPreview(r *http.Request) bool {
	secret, ok := bearer(r.Header["Authorization"])
	return ok && strings.HasPrefix(secret, access.PreviewPrefix)
}

// Preview returns the actor of a content API request with the credential of a preview. It takes one request from the
// budget of the preview and sets the rate-limit headers. The error is KindUnauthenticated, KindTooManyRequests, or
// KindForbidden as in Session.
func (g *Gateway) Preview(w http.ResponseWriter, r *http.Request) (core.Actor, error) {
	actor, err := g.identified(w, r, g.authenticator.Preview)
	if err != nil {
		return core.Actor{}, err
	}
	return actor, g.take(w, r, "preview:"+hex.EncodeToString(actor.Preview.Hash[:]), previewBudget, "rate limit of this preview exceeded, retry later")
}

// FromAssistant reports whether the request has the credential of an assistant, which may not be valid.
func FromAssistant(r *http.Request) bool {
	secret, ok := bearer(r.Header["Authorization"])
	return ok && strings.HasPrefix(secret, access.AssistantPrefix)
}

// Assistant returns the actor of a request with the credential of an assistant. The request needs no page of this
// service: browsers do not send the credential by themselves. Assistant takes one request from the budget of the user's
// assistants and, for a write, one from that of their writes, and sets the rate-limit headers. The error is
// KindUnauthenticated, KindTooManyRequests, or KindForbidden as in Session.
func (g *Gateway) Assistant(w http.ResponseWriter, r *http.Request) (core.Actor, error) {
	actor, err := g.assistant(w, r)
	if err != nil {
		return core.Actor{}, err
	}
	for _, b := range []struct {
		key    string
		budget ports.Budget
		spends bool
	}{
		{assistantsKey(actor), g.budget, true},
		{"assistants-writes:" + strconv.FormatInt(actor.UserID(), 10), ports.Budget{Limit: g.assistants.WritesPerMinute, Window: time.Minute}, !isRead(r.Method)},
		{"assistants-drafts:" + strconv.FormatInt(actor.UserID(), 10), ports.Budget{Limit: g.assistants.DraftsPerDay, Window: 24 * time.Hour}, writesDraft(r)},
	} {
		if !b.spends {
			continue
		}
		if err := g.take(w, r, b.key, b.budget, aboutAssistants); err != nil {
			return core.Actor{}, err
		}
	}
	return actor, nil
}

const aboutAssistants = "rate limit of the assistants of this user exceeded, retry later"

// assistantsKey is the key of the budget of all requests of the assistants of a user.
func assistantsKey(actor core.Actor) string {
	return "assistants:" + strconv.FormatInt(actor.UserID(), 10)
}

// AssistantOnly checks a request at a door that only assistants may use. It takes one request from the budget of the
// user's assistants, and returns the errors of Assistant. To a page of another site it returns KindForbidden: the Model
// Context Protocol demands that servers check Origin, because names of hosts can be bound to other addresses.
func (g *Gateway) AssistantOnly(w http.ResponseWriter, r *http.Request) error {
	if fromPage(r) && !g.cookies.ownPage(r) {
		return &core.Error{Kind: core.KindForbidden, Code: "cross_origin", Message: "assistants are no pages of other sites"}
	}
	actor, err := g.assistant(w, r)
	if err != nil {
		return err
	}
	return g.take(w, r, assistantsKey(actor), g.budget, aboutAssistants)
}

// Acting returns the actor of the credential of an assistant, which AssistantOnly has checked. It takes nothing from a budget.
func (g *Gateway) Acting(ctx context.Context, header http.Header) (core.Actor, error) {
	secret, _ := bearer(header["Authorization"])
	return g.authenticator.Assistant(ctx, secret)
}

// Again returns the actor of the token or assistant of a request that was authenticated before. It takes nothing from
// a budget.
func (g *Gateway) Again(ctx context.Context, header http.Header, ability core.Ability) (core.Actor, error) {
	secret, _ := bearer(header["Authorization"])
	if strings.HasPrefix(secret, access.AssistantPrefix) {
		return g.authenticator.Assistant(ctx, secret)
	}
	return g.authenticator.Token(ctx, secret, ability)
}

// assistant identifies the assistant of a request.
func (g *Gateway) assistant(w http.ResponseWriter, r *http.Request) (core.Actor, error) {
	return g.identified(w, r, g.authenticator.Assistant)
}

// identified returns the actor of the credential in the only Authorization header.
func (g *Gateway) identified(w http.ResponseWriter, r *http.Request, identify func(context.Context, string) (core.Actor, error)) (core.Actor, error) {
	secret, ok := bearer(r.Header["Authorization"])
	if !ok {
		w.Header().Set("WWW-Authenticate", `Bearer realm="imprimatur"`)
		return core.Actor{}, core.Unauthenticated()
	}
	actor, err := identify(r.Context(), secret)
	if err != nil {
		if core.KindOf(err) == core.KindUnauthenticated {
			w.Header().Set("WWW-Authenticate", `Bearer realm="imprimatur", error="invalid_token"`)
		}
		return core.Actor{}, err
	}
	recordActor(r.Context(), actor)
	return actor, nil
}

// writesDraft reports whether the request creates or changes an entry.
func writesDraft(r *http.Request) bool {
	return r.Method == http.MethodPatch || r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/content")
}

// Session returns the user of a dashboard API request, identified by the session cookie.
// A request that can change data must come from a page of this service. exempt says which
// users may also make the request. The error is KindUnauthenticated, or KindForbidden with code
// "cross_origin", "password_change_required" or "second_factor_required".
func (g *Gateway) Session(w http.ResponseWriter, r *http.Request, exempt account.Exempt) (core.Actor, error) {
	actor, err := g.session(r, exempt)
	if core.KindOf(err) == core.KindUnauthenticated {
		g.Challenge(w)
	}
	return actor, err
}

// Challenge says in the headers of a 401 which credential the dashboard API takes.
func (g *Gateway) Challenge(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", g.cookies.challenge)
}

// Visitor returns the user of a dashboard API request that needs no session: without a valid one
// it returns the zero Actor.
func (g *Gateway) Visitor(r *http.Request) (core.Actor, error) {
	actor, err := g.session(r, account.Exempt{PasswordChange: true, SecondFactor: true})
	if core.KindOf(err) == core.KindUnauthenticated {
		return core.Actor{}, nil
	}
	return actor, err
}

func (g *Gateway) session(r *http.Request, exempt account.Exempt) (core.Actor, error) {
	id, ok := g.cookies.Read(r)
	if !ok {
		return core.Actor{}, core.Unauthenticated()
	}
	if !isRead(r.Method) && !g.cookies.ownPage(r) {
		return core.Actor{}, crossOrigin()
	}
	actor, err := g.authenticator.Session(r.Context(), id, exempt)
	if err != nil {
		return core.Actor{}, err
	}
	recordActor(r.Context(), actor)
	return actor, nil
}

// SignIn checks a sign-in request, the only change without a session. It returns
// KindForbidden with code "cross_origin" when the request comes from a page of another
// site. Sign-in depends on the password and not on a cookie, so a program without Origin
// and Sec-Fetch-Site is accepted. previous is the session id that the client had before,
// or "".
func (g *Gateway) SignIn(r *http.Request) (previous string, err error) {
	previous, _ = g.cookies.Read(r)
	if fromPage(r) && !g.cookies.ownPage(r) {
		return "", crossOrigin()
	}
	return previous, nil
}

// fromPage reports whether a browser states which page made the request.
func fromPage(r *http.Request) bool {
	return len(r.Header["Origin"]) > 0 || len(r.Header["Sec-Fetch-Site"]) > 0
}

// spend takes one request from the budget of the token and sets the rate-limit headers.
func (g *Gateway) spend(w http.ResponseWriter, r *http.Request, token *core.Token) error {
	budget := g.budget
	if token.RateLimit != nil {
		budget.Limit = *token.RateLimit
	}
	return g.take(w, r, "token:"+strconv.FormatInt(token.ID, 10), budget, "rate limit of this token exceeded, retry later")
}

// take takes one request from a budget and sets the rate-limit headers. message is that of the error.
func (g *Gateway) take(w http.ResponseWriter, r *http.Request, key string, budget ports.Budget, message string) error {
	if budget.Limit <= 0 {
		return nil
	}
	spending, err := g.limiter.Take(r.Context(), key, budget, 1)
	if err != nil {
		return err
	}
	writeRateLimit(w.Header(), budget, spending)
	if spending.Allowed {
		return nil
	}
	return &core.Error{
		Kind: core.KindTooManyRequests, Code: "rate_limited",
		Message: message, RetryAfter: max(spending.RetryAfter, time.Second),
	}
}

// writeRateLimit sets the fields of the IETF draft on rate-limit headers: the quota q for
// a window of w seconds, the remaining requests r, and the seconds t until they are q again.
func writeRateLimit(h http.Header, budget ports.Budget, left ports.Spending) {
	h["Ratelimit-Policy"] = []string{`"default";q=` + strconv.Itoa(budget.Limit) + ";w=" + wholeSeconds(budget.Window)}
	h["Ratelimit"] = []string{`"default";r=` + strconv.Itoa(left.Remaining) + ";t=" + wholeSeconds(left.ResetAfter)}
}

// bearer returns the secret of the only Authorization header. The scheme is
// case-insensitive.
func bearer(values []string) (string, bool) {
	if len(values) != 1 {
		return "", false
	}
	scheme, secret, _ := strings.Cut(values[0], " ")
	secret = strings.Trim(secret, " ")
	return secret, strings.EqualFold(scheme, "Bearer") && secret != "" && len(secret) <= maxSecret
}
