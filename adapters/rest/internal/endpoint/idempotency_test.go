package endpoint

import (
	"context"
	"net/http"
	"net/http/httptest"
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
	"imprimatur/ports"
)

// attempt is one request with a key.
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

// send gives the request to do through once, as an operation would.
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

// creating returns a handler that makes the next thing each time it is called.
func creating(count *atomic.Int64) func(c *Call) error {
	return func(c *Call) error {
		c.Writer.Header().Set("Location", c.Request.URL.Path+"/"+strconv.FormatInt(count.Add(1), 10))
		return c.WriteJSON(map[string]string{"secret": "shown once"})
	}
}

func TestOnceRepeatsTheAnswerWithoutTheEffect(t *testing.T) {
	t.Parallel()
	store, count := memory.New().Stores().Idempotency, new(atomic.Int64)
	made := first.send(store, creating(count))
	again := first.send(store, creating(count))
	require.Equal(t, http.StatusCreated, made.Code)
	assert.Equal(t, made.Code, again.Code)
	assert.Equal(t, made.Body.Bytes(), again.Body.Bytes())
	assert.Equal(t, "true", again.Header().Get("Idempotent-Replayed"))
	assert.Empty(t, made.Header().Get("Idempotent-Replayed"))
	for _, name := range keptHeaders {
		assert.Equal(t, made.Header().Get(name), again.Header().Get(name), name)
	}
	assert.EqualValues(t, 1, count.Load())
}

func TestOnceTellsRequestsApart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*attempt)
		status int
		code   string
		made   int64 // things in all
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

func TestOnceKeepsWhatAnotherTryWouldGetToo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		kept bool
	}{
		"conflict":         {core.Conflict("not_pending", "over"), true},
		"invalid":          {core.Invalid(core.FieldError{Location: "a", Message: "b"}), true},
		"forbidden":        {core.Forbidden("no"), true},
		"not found":        {core.NotFound("entry"), true},
		"stale":            {&core.Error{Kind: core.KindPreconditionFailed, Code: "precondition_failed", Message: "m"}, true},
		"shown":            {&httpx.Extended{Err: core.Conflict("not_pending", "over"), Name: "request", Value: 1}, true},
		"lost a race":      {core.Conflict("changed_meanwhile", "again"), false},
		"too many":         {&core.Error{Kind: core.KindTooManyRequests, Code: "rate_limited", Message: "m"}, false},
		"away":             {&core.Error{Kind: core.KindUnavailable, Code: "unavailable", Message: "m"}, false},
		"a fault":          {context.Canceled, false},
		"a fault of ours":  {assert.AnError, false},
		"no room":          {&core.Error{Kind: core.KindStorageFull, Code: "storage_full", Message: "m"}, false},
		"not signed in":    {core.Unauthenticated(), true},
		"malformed values": {core.BadRequest("bad", "bad"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, count := memory.New().Stores().Idempotency, new(atomic.Int64)
			refused := first.send(store, func(*Call) error { return c.err })
			again := first.send(store, creating(count))
			if c.kept {
				assert.Equal(t, refused.Code, again.Code)
				assert.Equal(t, refused.Body.String(), again.Body.String())
				assert.Zero(t, count.Load())
			} else {
				assert.Equal(t, http.StatusCreated, again.Code)
				assert.EqualValues(t, 1, count.Load())
			}
		})
	}
}

func TestOnceUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, count, go1 := memory.New().Stores().Idempotency, new(atomic.Int64), make(chan struct{})
		var running sync.WaitGroup
		running.Go(func() {
			first.send(store, func(c *Call) error {
				<-go1
				return creating(count)(c)
			})
		})
		synctest.Wait() // until it is under way
		for range 3 {
			rec := first.send(store, creating(count))
			assert.Equal(t, http.StatusConflict, rec.Code)
			assert.Contains(t, rec.Body.String(), `"code":"idempotency_key_in_use"`)
		}
		other := first
		other.body = "{}"
		assert.Equal(t, http.StatusUnprocessableEntity, other.send(store, creating(count)).Code)
		close(go1)
		running.Wait()
		assert.Equal(t, "true", first.send(store, creating(count)).Header().Get("Idempotent-Replayed"))
		assert.EqualValues(t, 1, count.Load())
	})
}

func TestOnceGivesTheKeyBackAfterAPanic(t *testing.T) {
	t.Parallel()
	store, count := memory.New().Stores().Idempotency, new(atomic.Int64)
	assert.Panics(t, func() { first.send(store, func(*Call) error { panic("a fault") }) })
	assert.Equal(t, http.StatusCreated, first.send(store, creating(count)).Code)
}

// What took effect does so once, also when its answer was lost: in a process that died,
// or because something broke after the commit.
func TestOnceHasNoSecondEffectWithoutAnAnswer(t *testing.T) {
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
						return stores.Tenants.Insert(ctx, &core.Tenant{Name: "Acme"})
					})
				}
				func() {
					defer func() { _ = recover() }() // it is one of those that lose an answer
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

// A request that was given up for dead has no effect once another has its key.
func TestOnceHoldsBackWhoComesTooLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, goOn := memory.New(), make(chan struct{})
		create := func(c *Call) error {
			if err := store.Do(c.Context(), c.Actor, func(ctx context.Context, stores ports.Stores) error {
				return stores.Tenants.Insert(ctx, &core.Tenant{Name: "Acme"})
			}); err != nil {
				return err
			}
			return c.WriteJSON("made")
		}
		late := make(chan int, 1)
		go func() {
			late <- first.send(store.Stores().Idempotency, func(c *Call) error {
				<-goOn
				return create(c)
			}).Code
		}()
		time.Sleep(claimExpiry + time.Second)
		assert.Equal(t, http.StatusCreated, first.send(store.Stores().Idempotency, create).Code)
		close(goOn)
		assert.Equal(t, http.StatusConflict, <-late)
		assert.Equal(t, "true", first.send(store.Stores().Idempotency, create).Header().Get("Idempotent-Replayed"))
		tenants, err := store.Stores().Tenants.Tenants(t.Context())
		require.NoError(t, err)
		assert.Len(t, tenants, 1)
	})
}

// tattler remembers all that it is told to keep.
type tattler struct {
	ports.IdempotencyStore

	told []byte
}

func (s *tattler) Begin(ctx context.Context, key core.IdempotencyKey, fingerprint [32]byte, expiry time.Duration) (*core.IdempotencyClaim, ports.IdempotentRequest, error) {
	s.told = append(s.told, key.Caller+key.Key...)
	return s.IdempotencyStore.Begin(ctx, key, fingerprint, expiry)
}

func (s *tattler) Finish(ctx context.Context, claim core.IdempotencyClaim, answer ports.StoredResponse) error {
	s.told = append(s.told, answer.Body...)
	return s.IdempotencyStore.Finish(ctx, claim, answer)
}

// What a database is told tells neither the key nor a secret in the answer.
func TestOnceSealsAnswers(t *testing.T) {
	t.Parallel()
	store, count := &tattler{IdempotencyStore: memory.New().Stores().Idempotency}, new(atomic.Int64)
	assert.Contains(t, first.send(store, creating(count)).Body.String(), "shown once")
	assert.Contains(t, first.send(store, creating(count)).Body.String(), "shown once")
	assert.NotEmpty(t, store.told)
	assert.NotContains(t, string(store.told), "shown once")
	assert.NotContains(t, string(store.told), first.keys[0])
}
