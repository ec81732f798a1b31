// Package cache caches what most requests read: Projects, collections, tokens, the users
// of sessions (Schemas and Credentials), and the responses to reads (Reads).
//
// A change invalidates what it may affect: changes of this process at once, those of other
// processes when the change feed delivers them. While the feed is live, values expire
// after 10 s. While it is not live, definitions and credentials expire after half a second
// and responses are not cached, so that no value is stale for more than a second.
package cache
