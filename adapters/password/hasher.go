// Package password hashes passwords with Argon2id.
package password

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/alexedwards/argon2id"
	"golang.org/x/crypto/argon2"

	"imprimatur/core"
)

// Options say how much work a hash is. Zero members take their default.
type Options struct {
	Memory      uint32 // KiB; 64 MiB
	Iterations  uint32 // 3
	Parallelism uint8  // 4 lanes
	Concurrent  int    // hashes at a time, which bounds the memory; 2

	Wait time.Duration // for a turn; 10 s
}

// Hasher is the ports.PasswordHasher on Argon2id.
type Hasher struct {
	params *argon2id.Params
	turns  chan struct{}
	wait   time.Duration
	decoy  string // what no password matches, and as costly to check as a real hash
}

// New returns a Hasher. The defaults are the second choice of RFC 9106, section 4.
func New(options Options) *Hasher {
	params := &argon2id.Params{
		Memory:      defaulted(options.Memory, 64<<10),
		Iterations:  defaulted(options.Iterations, 3),
		Parallelism: defaulted(options.Parallelism, 4),
		SaltLength:  16,
		KeyLength:   32,
	}
	return &Hasher{
		params: params,
		turns:  make(chan struct{}, defaulted(options.Concurrent, 2)),
		wait:   defaulted(options.Wait, 10*time.Second),
		decoy:  decoy(params),
	}
}

// Hash is described at ports.PasswordHasher.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	if err := h.enter(ctx); err != nil {
		return "", err
	}
	defer h.leave()
	return argon2id.CreateHash(password, h.params)
}

// Matches is described at ports.PasswordHasher.
func (h *Hasher) Matches(ctx context.Context, password, hash string) (bool, error) {
	genuine := wellFormed(hash)
	if !genuine {
		hash = h.decoy
	}
	if err := h.enter(ctx); err != nil {
		return false, err
	}
	defer h.leave()
	matches, err := argon2id.ComparePasswordAndHash(password, hash)
	return matches && genuine, err
}

// enter waits for a turn, but not for ever: anybody may have a hash made, by signing in,
// and many at once would keep each other waiting until all of them have gone.
func (h *Hasher) enter(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, h.wait)
	defer cancel()
	select {
	case h.turns <- struct{}{}:
		return nil
	case <-waiting.Done():
		return &core.Error{
			Kind: core.KindUnavailable, Code: "unavailable", Message: "too many passwords are being checked",
			RetryAfter: 5 * time.Second, Err: waiting.Err(),
		}
	}
}

func (h *Hasher) leave() { <-h.turns }

// wellFormed reports whether hash can be checked; Argon2 panics without a pass or
// a lane.
func wellFormed(hash string) bool {
	params, _, key, err := argon2id.DecodeHash(hash)
	return err == nil && params.Iterations > 0 && params.Parallelism > 0 && len(key) > 0
}

// decoy writes down a hash without the work of making one.
func decoy(p *argon2id.Params) string {
	blank := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		p.Memory, p.Iterations, p.Parallelism, blank(make([]byte, p.SaltLength)), blank(make([]byte, p.KeyLength)))
}

func defaulted[T comparable](given, otherwise T) T {
	var zero T
	if given == zero {
		return otherwise
	}
	return given
}
