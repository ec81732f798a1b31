package graphql

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/maypok86/otter/v2"
)

// persistedInCache is how many bytes of automatic persisted queries are kept.
const persistedInCache = 8 << 20

// persisted remembers queries by the SHA-256 of their text, so that clients need
// not send them again. A query is told to nobody: who knows its hash knows it.
type persisted struct {
	byHash *otter.Cache[string, string]
}

func newPersisted() *persisted {
	return &persisted{byHash: otter.Must(&otter.Options[string, string]{
		MaximumWeight: persistedInCache,
		Weigher:       func(hash, query string) uint32 { return uint32(len(hash) + len(query) + 128) },
	})}
}

// persistedHash returns the hash that extensions.persistedQuery names, "" when there
// is none. It reports false for one that makes no sense.
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

// complete gives a request that only has a hash its query. One with both must have
// the hash of its query. The error is errNotPersisted, or a core.Error.
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
	req.query = query
	return nil
}

// errNotPersisted tells the client to send the query with its hash. The words are
// what clients look for.
var errNotPersisted = errors.New("PersistedQueryNotFound")

// keep remembers a query that turned out to be sound and came with its hash.
func (p *persisted) keep(req *request) {
	if req.hash != "" {
		p.byHash.SetIfAbsent(req.hash, req.query)
	}
}
