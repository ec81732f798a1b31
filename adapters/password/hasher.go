package password

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"time"

	"github.com/alexedwards/argon2id"
	"golang.org/x/crypto/argon2"

	"imprimatur/core"
)

// Options configure the cost of a hash. A zero member uses the default that is stated
// after the semicolon.
type Options struct {
	Memory      uint32 // KiB; 64 Ki (64 MiB)
	Iterations  uint32 // passes over the memory; 3
	Parallelism uint8  // lanes; 4
	Concurrent  int    // concurrent hashes, which limits the memory; 2

	Wait time.Duration // longest wait for a free slot; 10 s
}

// defaultMemory is the memory of a hash in KiB. The program that tests run is linked with less (test/program): it hashes
// hundreds of passwords.
var defaultMemory = "65536"

// Hasher is a ports.PasswordHasher on Argon2id. It is safe for concurrent use.
type Hasher struct {
	params *argon2id.Params
	slots  chan struct{}
	wait   time.Duration
	decoy  string // matches no password; costs as much to check as a real hash

	compare func(password, hash string) (bool, error)
}

// New returns a Hasher. The defaults are the second recommended option of RFC 9106,
// section 4.
func New(options Options) *Hasher {
	memory, err := strconv.ParseUint(defaultMemory, 10, 32)
	if err != nil {
		panic(err) // a wrong command of the linker
	}
	params := &argon2id.Params{
		Memory:      cmp.Or(options.Memory, uint32(memory)),
		Iterations:  cmp.Or(options.Iterations, 3),
		Parallelism: cmp.Or(options.Parallelism, 4),
		SaltLength:  16,
		KeyLength:   32,
	}
	return &Hasher{
		params: params,
		slots:  make(chan struct{}, cmp.Or(options.Concurrent, 2)),
		wait:   cmp.Or(options.Wait, 10*time.Second),
		decoy:  decoy(params),

		compare: argon2id.ComparePasswordAndHash,
	}
}

// Hash implements ports.PasswordHasher.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	if err := h.enter(ctx); err != nil {
		return "", err
	}
	defer h.leave()
	return argon2id.CreateHash(password, h.params)
}

// Matches implements ports.PasswordHasher.
func (h *Hasher) Matches(ctx context.Context, password, hash string) (bool, error) {
	genuine := wellFormed(hash)
	if !genuine {
		hash = h.decoy
	}
	if err := h.enter(ctx); err != nil {
		return false, err
	}
	defer h.leave()
	matches, err := h.compare(password, hash)
	return matches && genuine, err
}

// enter waits for a free slot, for at most h.wait. Unauthenticated clients can request
// hashes by signing in; without the limit, a queue would grow until all its clients have
// timed out.
func (h *Hasher) enter(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, h.wait)
	defer cancel()
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-waiting.Done():
		return &core.Error{
			Kind: core.KindUnavailable, Code: "unavailable", Message: "too many concurrent sign-ins, retry later",
			RetryAfter: 5 * time.Second, Err: waiting.Err(),
		}
	}
}

func (h *Hasher) leave() { <-h.slots }

// wellFormed reports whether hash can be checked. Argon2 panics with zero iterations or
// lanes.
func wellFormed(hash string) bool {
	params, _, key, err := argon2id.DecodeHash(hash)
	return err == nil && params.Iterations > 0 && params.Parallelism > 0 && len(key) > 0
}

// decoy returns a hash with the given cost without computing one.
func decoy(p *argon2id.Params) string {
	blank := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		p.Memory, p.Iterations, p.Parallelism, blank(make([]byte, p.SaltLength)), blank(make([]byte, p.KeyLength)))
}
