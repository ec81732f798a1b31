package graphql

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/maypok86/otter/v2"
)

// persistedInCache is the size in bytes of the cache for automatic persisted queries.
const persistedInCache = 8 << 20

// persisted stores queries by the SHA-256 of their text, so that clients need not send
// them again. A hash reveals no query to a client that does not know it.
type persisted struct {
	byHash *otter.Cache[string, *string] // pointers, as documents has them: one instance of otter's code
}

func newPersisted() *persisted {
	return &persisted{byHash: otter.Must(&otter.Options[string, *string]{
		MaximumWeight: persistedInCache,
		Weigher:       func(hash string, query *string) uint32 { return uint32(len(hash) + len(*query) + 128) },
	})}
}

// persistedHash returns the hash in extensions.persistedQuery, or "". It returns false
// when the extension is invalid.
func persistedHash(extensions map[string]any) (string, bool) {
	given, ok := extensions["persistedQuery"]
	if !ok || given == nil {
		return "", true
	}
	members, _ := given.(map[string]any)
	version, _ := members["version"].(json.Number)
	hash, _ := members["sha256Hash"].(string)
	sum, err := hex.DecodeString(hash)
	if version != "1" || err != nil || len(sum) != sha256.Size {
		return "", false
	}
	return hex.EncodeToString(sum), true
}

// complete sets the query of a request that only has a hash. With both, the hash must
// match the query. The error is errNotPersisted or a core.Error.
func (p *persisted) complete(req *request) error {
	if req.hash == "" {
		return nil
	}
	if req.query != "" {
		sum := sha256.Sum256([]byte(req.query))
		if hex.EncodeToString(sum[:]) != req.hash {
			return badRequest("extensions.persistedQuery.sha256Hash is not the hash of the query")
		}
		return nil
	}
	query, ok := p.byHash.GetIfPresent(req.hash)
	if !ok {
		return errNotPersisted
	}
	req.query = *query
	return nil
}

// errNotPersisted asks the client to send the query with its hash. Clients recognize this
// message.
var errNotPersisted = errors.New("PersistedQueryNotFound")

// keep stores a valid query that was sent with its hash.
func (p *persisted) keep(req *request) {
	if query := req.query; req.hash != "" {
		p.byHash.SetIfAbsent(req.hash, &query)
	}
}
