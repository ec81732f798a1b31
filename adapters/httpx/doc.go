// Package httpx holds what all HTTP transports share: authentication of the caller, rate
// limits, the error format, entity tags, content codings, the cache of responses, limits for
// slow clients, and the parts of a response that do not depend on the route (request id, log
// line, security headers).
//
// It knows no route. A transport calls a Gateway to authenticate a request and
// WriteProblem or Public for an error. The service wraps all transports once with Wrap;
// read that function first.
package httpx
