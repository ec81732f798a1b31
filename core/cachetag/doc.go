// Package cachetag names what a response depends on, so that shared caches in front of the API can drop
// exactly the responses that a change concerns.
//
// A read collects cachetag.Dependencies. A Scheme turns them into the value of a header, and an event into the
// tags of the responses that it outdates. Tags are opaque: they are made under a key that all
// processes of the installation have. app/docs/changes.md has the rules.
package cachetag
