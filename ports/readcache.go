package ports

import "context"

// ReadCache remembers what reads answered, as long as nothing of their Project changes.
type ReadCache interface {
	// Epoch returns a number that moves with every change of a Project that this
	// process makes or hears of. It is 0 while nothing is to be remembered: changes
	// may go unheard then.
	//
	// It is taken before anything is read that an answer depends on, definitions
	// included: an answer whose reading a change overtakes is of a past epoch, which
	// nobody asks for.
	Epoch(projectID int64) uint64
	// Read returns what is remembered under key, else what load returns. Who asks
	// for the same at once shares one load; if it fails because the one who runs it
	// gave up, somebody else runs it. Errors are not remembered.
	//
	// Answers under one key must be of one type. They are shared: nobody changes them.
	Read(ctx context.Context, key ReadKey, load func(context.Context) (Sized, error)) (Sized, error)
}

// ReadKey names an answer. Whoever may read it has been asked already: the key says
// what is answered, not to whom.
type ReadKey struct {
	Kind      ReadKind
	ProjectID int64
	Epoch     uint64 // of ReadCache.Epoch; never 0
	Drafts    bool   // whether drafts may be part of it
	Coding    uint8  // in which form: each caller of the cache has its own, 0 being the plain one
	Query     string // everything else that the answer depends on
}

// ReadKind is who remembers an answer. Keys of different kinds never meet.
type ReadKind uint8

// The kinds of ReadKey, with what Query is.
const (
	ReadContent    ReadKind = iota // what entries are read, in one form only
	ReadGraphQL                    // a body for the GraphQL API, as it was sent
	ReadREST                       // an address of the REST API, as it was sent
	ReadGraphQLURL                 // an address of the GraphQL API, as it was sent
)

// Sized is something that can be remembered.
type Sized interface {
	// Size is about how many bytes of memory it takes.
	Size() int
}
