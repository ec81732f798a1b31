// Package cache caches what most requests read: Projects and collections (Schemas), tokens
// and the users of sessions (Credentials), and the responses to reads (Reads).
//
// A change invalidates the values that it may affect: a change of this process at once, a
// change of another process when the change feed delivers it. While the feed is live, values
// expire after 10 s. While it is not live, definitions and credentials expire after half a
// second and responses are not cached, so that no value is stale for more than a second.
package cache
