// Package access decides what callers may do, and manages the organisation: tenants,
// departments, projects, users, roles and tokens. Package identity signs users in. The main types are
//
//   - Authenticator, which turns a token secret or a session id into a core.Actor;
//   - Action (policy.go), one operation with the role or token ability that it needs;
//   - Authorizer, which checks an Action of an Actor at a Place and returns the Place;
//   - Organisation, Users, Members and Tokens, the use cases.
//
// A transport authenticates the request, authorizes the route's Action, and calls a use case
// with the Actor and the Place. Use cases rely on that authorization; they check only what
// depends on their own data, such as roles above the caller's own.
//
// Read policy.go next: it lists all actions with their permissions.
package access
