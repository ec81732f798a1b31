package ports

import "context"

// PasswordHasher hashes passwords so that they can be checked but not read.
type PasswordHasher interface {
	// Hash returns a salted hash in PHC string format. The number of concurrent hashes is
	// bounded: Hash waits for a free slot until ctx ends.
	Hash(ctx context.Context, password string) (string, error)
	// Matches reports whether hash was made from password. An empty or malformed
	// hash matches nothing and takes as long as a real one.
	Matches(ctx context.Context, password, hash string) (bool, error)
}
