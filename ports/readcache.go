package ports

import "context"

// ReadCache caches the results of reads until their Project changes.
type ReadCache interface {
	// Epoch returns a number that changes with every change of the Project that this process makes
	// or learns of. It is 0 while the process may miss changes of other processes; callers then
	// bypass the cache.
	//
	// The caller reads the epoch before everything that the result depends on, definitions
	// included. If the data changes during the read, the result is then stored under a past epoch,
	// which no later read uses.
	Epoch(projectID int64) uint64
	// Read returns the value cached under key, or else the result of load. Concurrent reads of
	// one key share one load; if its caller's context ends, another caller runs the load.
	// Errors are not cached.
	//
	// The values under one key must have one type. They are shared and must not be changed.
	Read(ctx context.Context, key ReadKey, load func(context.Context) (Sized, error)) (Sized, error)
}

// ReadKey identifies a cached value. Callers authorize every request before they use it: the
// key does not name the actor.
type ReadKey struct {
	Kind      string // the kind of request; separates the keys of different callers
	ProjectID int64
	Epoch     uint64 // of ReadCache.Epoch; never 0
	Drafts    bool   // whether the value may contain drafts
	Coding    uint8  // content coding, as the caller numbers them; 0: none
	Query     string // everything else that the value depends on
}

// Sized is a value that can be cached.
type Sized interface {
	// Size returns the approximate memory use of the value in bytes.
	Size() int
}
