// Package delegation is the use case of lending decisions: a user lets another one decide the delegable steps of
// workflows on its behalf, for a time, and ends that again (Delegations). An admin of a Department does so for users of
// the Department.
//
// Who may decide a request on whose behalf is in core: Request.StandingOf, with Actor.Lent, which ports.Lenders reads.
package delegation
