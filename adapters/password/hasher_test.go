package password

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

var cheap = Options{Memory: 64, Iterations: 1, Parallelism: 1, Concurrent: 1}

func setup() ports.PasswordHasher { return New(cheap) }

func TestHashIsSaltedAndNeverThePassword(t *testing.T) {
	t.Parallel()
	hasher := setup()
	const secret = "correct horse"
	first, err := hasher.Hash(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	second, err := hasher.Hash(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	if first == second {
		t.Error("two hashes of one password are the same")
	}
	if !strings.HasPrefix(first, "$argon2id$v=19$m=64,t=1,p=1$") || strings.Contains(first, secret) {
		t.Errorf("hash = %q", first)
	}
}

// TestDefaultCost checks the second recommended option of RFC 9106, section 4.
func TestDefaultCost(t *testing.T) {
	t.Parallel()
	hash, err := New(Options{}).Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=65536,t=3,p=4$") {
		t.Errorf("hash = %q", hash)
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	hasher := setup()
	hash, err := hasher.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	empty, err := hasher.Hash(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name     string
		password string
		hash     string
		want     bool
	}{
		{"the password", "correct horse", hash, true},
		{"another password", "correct horsf", hash, false},
		{"other case", "Correct horse", hash, false},
		{"no password", "", hash, false},
		{"an empty password that was hashed", "", empty, true},
		{"no hash", "correct horse", "", false},
		{"no hash and no password", "", "", false},
		{"a hash of another kind", "correct horse", "$2a$10$N9qo8uLOickgx2ZMRZoMye", false},
		{"a hash cut short", "correct horse", hash[:len(hash)-20] + "!", false},
		{"a hash without a pass", "correct horse", strings.Replace(hash, "t=1", "t=0", 1), false},
		{"a hash without a lane", "correct horse", strings.Replace(hash, "p=1", "p=0", 1), false},
		{"a hash without a key", "correct horse", hash[:strings.LastIndexByte(hash, '$')+1], false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := hasher.Matches(t.Context(), test.password, test.hash)
			if err != nil || got != test.want {
				t.Errorf("Matches = %v, %v; want %v", got, err, test.want)
			}
		})
	}
}

func TestBusyHasherReturnsOnCancellation(t *testing.T) {
	t.Parallel()
	hasher := New(cheap)
	hasher.slots <- struct{}{} // another hash is running
	gone, cancel := context.WithCancel(t.Context())
	cancel()

	if _, err := hasher.Hash(gone, "x"); core.KindOf(err) != core.KindUnavailable {
		t.Errorf("Hash = %v, want unavailable", err)
	}
	if _, err := hasher.Matches(gone, "x", ""); core.KindOf(err) != core.KindUnavailable {
		t.Errorf("Matches = %v, want unavailable", err)
	}

	<-hasher.slots
	if _, err := hasher.Hash(t.Context(), "x"); err != nil {
		t.Errorf("Hash after the release = %v", err)
	}
}

func TestBusyHasherLimitsTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hasher := New(cheap)
		hasher.slots <- struct{}{} // another hash never ends
		began := time.Now()
		_, err := hasher.Matches(t.Context(), "x", "")
		var refusal *core.Error
		if !errors.As(err, &refusal) || refusal.Kind != core.KindUnavailable || refusal.RetryAfter == 0 {
			t.Errorf("Matches = %v, want unavailable with a retry time", err)
		}
		if waited := time.Since(began); waited != hasher.wait {
			t.Errorf("waited for %s", waited)
		}
	})
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	hash, err := New(Options{}).Hash(t.Context(), "x")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=65536,t=3,p=4$") {
		t.Errorf("hash = %q, %v", hash, err)
	}
}
