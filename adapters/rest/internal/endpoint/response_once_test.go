package endpoint

import (
	"context"
	"crypto/sha256"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// attempt is one request with idempotency keys.
type attempt struct {
	actor core.Actor
	path  string
	body  string
	keys  []string
}

var (
	userSeven  = core.Actor{User: &core.User{ID: 7}}
	tokenSeven = core.Actor{Token: &core.Token{ID: 7}}
	first      = attempt{userSeven, "/things", `{"name":"a"}`, []string{"5f9c2d3e"}}
)

// send passes the request to do through Once, as an operation would.
func (a attempt) send(store ports.IdempotencyStore, do func(c *Call) error) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, a.path, strings.NewReader(a.body))
	r.Header[idempotencyHeader] = a.keys
	c := &Call{set: &Set{idempotency: store}, op: &Operation{}, Writer: rec, Request: r, Actor: a.actor, Status: http.StatusCreated}
	if err := c.Once([]byte(a.body), func() error { return do(c) }); err != nil {
		httpx.WriteProblem(c.Writer, c.Request, err)
	}
	return rec
}

// creating returns a handler that creates one thing with each call and counts them.
func creating(count *atomic.Int64) func(c *Call) error {
	return func(c *Call) error {
		c.Writer.Header().Set("Location", c.Request.URL.Path+"/"+strconv.FormatInt(count.Add(1), 10))
		return c.WriteJSON(map[string]string{"secret": "shown once"})
	}
}

func TestOnceReplaysWithoutSecondEffect(t *testing.T) {
	t.Parallel()
	store, count := memory.New().Stores().Idempotency, new(atomic.Int64)
	made := first.send(store, creating(count))
	again := first.send(store, creating(count))
	require.Equal(t, http.StatusCreated, made.Code)
	assert.Equal(t, made.Code, again.Code)
	assert.Equal(t, made.Body.Bytes(), again.Body.Bytes())
	assert.Equal(t, "true", again.Header().Get("Idempotent-Replayed"))
	assert.Empty(t, made.Header().Get("Idempotent-Replayed"))
	for _, name := range storedHeaders {
		assert.Equal(t, made.Header().Get(name), again.Header().Get(name), name)
	}
	assert.EqualValues(t, 1, count.Load())
}

func TestOnceDistinguishesRequests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*attempt)
		status int
		code   string
		made   int64 // number of created things
	}{
		"the same":      {func(*attempt) {}, 201, "", 1},
		"other body":    {func(a *attempt) { a.body = `{"name":"b"}` }, 422, "idempotency_key_reused", 1},
		"other path":    {func(a *attempt) { a.path = "/others" }, 422, "idempotency_key_reused", 1},
		"other query":   {func(a *attempt) { a.path = "/things?x=1" }, 422, "idempotency_key_reused", 1},
		"other key":     {func(a *attempt) { a.keys = []string{"5f9c2d3f"} }, 201, "", 2},
		"other user":    {func(a *attempt) { a.actor = core.Actor{User: &core.User{ID: 8}} }, 201, "", 2},
		"token of same": {func(a *attempt) { a.actor = tokenSeven }, 201, "", 2},
		"no key":        {func(a *attempt) { a.keys = nil }, 201, "", 2},
		"two keys":      {func(a *attempt) { a.keys = []string{"a", "b"} }, 400, "bad_idempotency_key", 1},
		"empty":         {func(a *attempt) { a.keys = []string{""} }, 400, "bad_idempotency_key", 1},
		"blank":         {func(a *attempt) { a.keys = []string{"a b"} }, 400, "bad_idempotency_key", 1},
		"not ASCII":     {func(a *attempt) { a.keys = []string{"clé"} }, 400, "bad_idempotency_key", 1},
		"control":       {func(a *attempt) { a.keys = []string{"a\x7f"} }, 400, "bad_idempotency_key", 1},
		"longest":       {func(a *attempt) { a.keys = []string{strings.Repeat("k", 255)} }, 201, "", 2},
		"too long":      {func(a *attempt) { a.keys = []string{strings.Repeat("k", 256)} }, 400, "bad_idempotency_key", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, count := memory.New().Stores().Idempotency, new(atomic.Int64)
			first.send(store, creating(count))
			second := first
			c.change(&second)
			rec := second.send(store, creating(count))
			assert.Equal(t, c.status, rec.Code, rec.Body)
			if c.code != "" {
				assert.Contains(t, rec.Body.String(), `"code":"`+c.code+`"`)
			}
			assert.Equal(t, c.made, count.Load())
		})
	}
}

func TestOnceStoresOnlyPermanentErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		stored bool
	}{
		"conflict":        {core.Conflict("not_pending", "the request is closed"), true},
		"invalid":         {core.Invalid(core.FieldError{Location: "a", Message: "b"}), true},
		"forbidden":       {core.Forbidden("no"), true},
		"not found":       {core.NotFound("entry"), true},
		"stale":           {&core.Error{Kind: core.KindPreconditionFailed, Code: "precondition_failed", Message: "m"}, true},
		"extended":        {&httpx.Extended{Err: core.Conflict("not_pending", "the request is closed"), Name: "request", Value: 1}, true},
		"proof missing":   {&core.Error{Kind: core.KindForbidden, Code: "verify_first", Message: "m"}, false},
		"lost race":       {core.Conflict("changed_meanwhile", "again"), false},
		"rate limit":      {&core.Error{Kind: core.KindTooManyRequests, Code: "rate_limited", Message: "m"}, false},
		"unavailable":     {&core.Error{Kind: core.KindUnavailable, Code: "unavailable", Message: "m"}, false},
		"cancelled":       {context.Canceled, false},
		"internal":        {assert.AnError, false},
		"storage full":    {&core.Error{Kind: core.KindStorageFull, Code: "storage_full", Message: "m"}, false},
		"unauthenticated": {core.Unauthenticated(), true},
		"bad request":     {core.BadRequest("bad", "bad"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, count := memory.New().Stores().Idempotency, new(atomic.Int64)
			rejected := first.send(store, func(*Call) error { return c.err })
			again := first.send(store, creating(count))
			if c.stored {
				assert.Equal(t, rejected.Code, again.Code)
				assert.Equal(t, rejected.Body.String(), again.Body.String())
				assert.Zero(t, count.Load())
			} else {
				assert.Equal(t, http.StatusCreated, again.Code)
				assert.EqualValues(t, 1, count.Load())
			}
		})
	}
}

func TestOnceWhileRunning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, count, release := memory.New().Stores().Idempotency, new(atomic.Int64), make(chan struct{})
		var running sync.WaitGroup
		running.Go(func() {
			first.send(store, func(c *Call) error {
				<-release
				return creating(count)(c)
			})
		})
		synctest.Wait() // until the first request runs
		for range 3 {
			rec := first.send(store, creating(count))
			assert.Equal(t, http.StatusConflict, rec.Code)
			assert.Contains(t, rec.Body.String(), `"code":"idempotency_key_in_use"`)
		}
		other := first
		other.body = "{}"
		assert.Equal(t, http.StatusUnprocessableEntity, other.send(store, creating(count)).Code)
		close(release)
		running.Wait()
		assert.Equal(t, "true", first.send(store, creating(count)).Header().Get("Idempotent-Replayed"))
		assert.EqualValues(t, 1, count.Load())
	})
}

func TestOnceFreesTheKeyAfterAPanic(t *testing.T) {
	t.Parallel()
	store, count := memory.New().Stores().Idempotency, new(atomic.Int64)
	assert.Panics(t, func() { first.send(store, func(*Call) error { panic("a fault") }) })
	assert.Equal(t, http.StatusCreated, first.send(store, creating(count)).Code)
}

// An effect is not repeated when its response was lost: by a crash of the process or by an error
// after the commit.
func TestOnceHasNoSecondEffectAfterLostResponse(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(c *Call) error{
		"a panic":  func(*Call) error { panic("a fault") },
		"a fault":  func(*Call) error { return assert.AnError },
		"too busy": func(*Call) error { return &core.Error{Kind: core.KindUnavailable, Code: "busy", Message: "m"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := memory.New()
				create := func(c *Call) error {
					return store.Do(c.Context(), c.Actor, func(ctx context.Context, stores ports.Stores) error {
						return stores.Tenants.Insert(ctx, &core.Tenant{Name: "Acme", CreatedAt: time.Now(), UpdatedAt: time.Now()})
					})
				}
				func() {
					defer func() { _ = recover() }() // one of the cases panics
					first.send(store.Stores().Idempotency, func(c *Call) error {
						if err := create(c); err != nil {
							return err
						}
						return lose(c)
					})
				}()
				for _, code := range []string{"idempotency_key_in_use", "idempotency_answer_lost", "idempotency_answer_lost"} {
					rec := first.send(store.Stores().Idempotency, create)
					assert.Equal(t, http.StatusConflict, rec.Code)
					assert.Contains(t, rec.Body.String(), `"code":"`+code+`"`)
					time.Sleep(claimExpiry + time.Second)
				}
				other := first
				other.body = "{}"
				assert.Equal(t, http.StatusUnprocessableEntity, other.send(store.Stores().Idempotency, create).Code)
				tenants, err := store.Stores().Tenants.Tenants(t.Context())
				require.NoError(t, err)
				assert.Len(t, tenants, 1)
			})
		})
	}
}

// A request whose claim has expired has no effect after another request has claimed its key.
func TestOnceRejectsExpiredClaims(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, release := memory.New(), make(chan struct{})
		create := func(c *Call) error {
			if err := store.Do(c.Context(), c.Actor, func(ctx context.Context, stores ports.Stores) error {
				return stores.Tenants.Insert(ctx, &core.Tenant{Name: "Acme", CreatedAt: time.Now(), UpdatedAt: time.Now()})
			}); err != nil {
				return err
			}
			return c.WriteJSON("made")
		}
		late := make(chan int, 1)
		go func() {
			late <- first.send(store.Stores().Idempotency, func(c *Call) error {
				<-release
				return create(c)
			}).Code
		}()
		time.Sleep(claimExpiry + time.Second)
		assert.Equal(t, http.StatusCreated, first.send(store.Stores().Idempotency, create).Code)
		close(release)
		assert.Equal(t, http.StatusConflict, <-late)
		assert.Equal(t, "true", first.send(store.Stores().Idempotency, create).Header().Get("Idempotent-Replayed"))
		tenants, err := store.Stores().Tenants.Tenants(t.Context())
		require.NoError(t, err)
		assert.Len(t, tenants, 1)
	})
}

// recordingStore records the keys and bodies that it receives.
type recordingStore struct {
	ports.IdempotencyStore

	recorded    []byte
	fingerprint [32]byte
}

func (s *recordingStore) Begin(ctx context.Context, key core.IdempotencyKey, fingerprint [32]byte, expiry time.Duration) (*core.IdempotencyClaim, ports.IdempotentRequest, error) {
	s.recorded = append(s.recorded, key.Caller+key.Key...)
	s.fingerprint = fingerprint
	return s.IdempotencyStore.Begin(ctx, key, fingerprint, expiry)
}

func (s *recordingStore) Finish(ctx context.Context, claim core.IdempotencyClaim, response ports.StoredResponse) error {
	s.recorded = append(s.recorded, response.Body...)
	return s.IdempotencyStore.Finish(ctx, claim, response)
}

// The store receives neither the idempotency key nor a secret of the response in plain text.
func TestOnceEncryptsResponses(t *testing.T) {
	t.Parallel()
	store, count := &recordingStore{IdempotencyStore: memory.New().Stores().Idempotency}, new(atomic.Int64)
	assert.Contains(t, first.send(store, creating(count)).Body.String(), "shown once")
	assert.Contains(t, first.send(store, creating(count)).Body.String(), "shown once")
	assert.NotEmpty(t, store.recorded)
	assert.NotContains(t, string(store.recorded), "shown once")
	assert.NotContains(t, string(store.recorded), first.keys[0])
}

// The fingerprint of a request depends on the secret key and on the idempotency key, so that a copy
// of the database does not allow to guess a body.
func TestOnceStoresKeyedFingerprints(t *testing.T) {
	t.Parallel()
	fingerprint := func(key secret.Key, a attempt) [32]byte {
		store := &recordingStore{IdempotencyStore: memory.New().Stores().Idempotency}
		rec := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, a.path, strings.NewReader(a.body))
		r.Header[idempotencyHeader] = a.keys
		set := &Set{idempotency: store, fingerprints: key.Derive(secret.Fingerprints)}
		c := &Call{set: set, op: &Operation{}, Writer: rec, Request: r, Actor: a.actor, Status: http.StatusCreated}
		require.NoError(t, c.Once([]byte(a.body), func() error { return creating(new(atomic.Int64))(c) }))
		return store.fingerprint
	}
	key, other := secret.New(), first
	other.keys = []string{"another"}
	plain := sha256.Sum256([]byte("POST " + first.path + "\n" + first.body))
	require.NotEqual(t, plain, fingerprint(key, first))
	require.NotEqual(t, plain, fingerprint(secret.Key{}, first))
	require.Equal(t, fingerprint(key, first), fingerprint(key, first))
	require.NotEqual(t, fingerprint(key, first), fingerprint(secret.New(), first))
	require.NotEqual(t, fingerprint(key, first), fingerprint(key, other))
}

func TestFingerprintsHaveNoPasswords(t *testing.T) {
	t.Parallel()
	type account struct {
		Name   string `json:"name"`
		First  string `json:"password" format:"password"`
		Second string `json:"current,omitempty" format:"password"`
	}
	for body, want := range map[string]string{
		`{"name":"a","password":"b","current":"c"}`: `{"name":"a"}`,
		`{"current":"c","name":"a"}`:                `{"name":"a"}`,
		`{"p\u0061ssword":"b"}`:                     `{}`,
	} {
		require.Equal(t, want, string(withoutPasswords([]byte(body), reflect.TypeFor[account]())))
	}
	for _, body := range []string{`{ "b":1, "a":2 }`, ``} {
		require.Equal(t, body, string(withoutPasswords([]byte(body), reflect.TypeFor[struct{ A int }]())))
		require.Equal(t, body, string(withoutPasswords([]byte(body), reflect.TypeFor[map[string]any]())))
	}
}
