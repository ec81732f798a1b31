// Package httpx is the floor that every HTTP transport stands on: who is calling,
// how often they may, what an error looks like on the wire, and what is true of
// every answer whatever its route (request id, log line, security headers).
//
// It knows no route. Transports use a Gateway to learn the caller, WriteProblem
// or Public for errors, and are wrapped once, all together, by Wrap.
package httpx
