package rest

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/ports"
)

// IdempotencyLifetime is how long the answer to a request with an Idempotency-Key is
// given again; who runs the API has older ones deleted.
const IdempotencyLifetime = 24 * time.Hour

// idempotencyHeader carries the key under which a caller may repeat a request.
const idempotencyHeader = "Idempotency-Key"

const (
	maxIdempotencyKey = 255
	// claimExpiry is after how long a request that has not been answered counts as
	// lost with its process: what came of it decides then whether another may have its
	// key. It is longer than any request takes.
	claimExpiry = 2 * time.Minute
)

const aboutIdempotency = "A key of the caller's own making, 1 to 255 visible ASCII characters, hard to guess: a random UUID. " +
	"The same request under the same key has one effect and gets the same answer for 24 hours, then with the header Idempotent-Replayed. " +
	"The key with another request is answered 422, while the first is under way 409. " +
	"Should the first have taken effect and its answer been lost, in a crash say, that is a 409 with the code idempotency_answer_lost: " +
	"look at what is there before you send it under another key."

// keptHeaders are those of an answer that a repetition gets too. The request id is
// that of the request that took effect: it is the one to ask about.
var keptHeaders = []string{"Content-Type", "Cache-Control", "Etag", "Location", "X-Request-Id"}

// once has do answer a request that came with an Idempotency-Key at most once: the
// same request under the same key is given the same answer again, without a second
// effect. Nothing is kept of an answer that another try may change.
func (c *call) once(body []byte, do func() error) error {
	key, err := idempotencyKey(c.r)
	if err != nil {
		return err
	}
	if key == "" {
		return do()
	}
	box, err := newSeal(c.actor, key)
	if err != nil {
		return err
	}
	fingerprint := fingerprintOf(c.r, body)
	claim, kept, err := c.api.Idempotency.Begin(c.ctx(), box.key, fingerprint, claimExpiry)
	switch {
	case err != nil:
		return err
	case claim != nil:
		return c.answerOnce(box, *claim, do)
	case kept.Fingerprint != fingerprint:
		return &core.Error{
			Kind: core.KindInvalid, Code: "idempotency_key_reused",
			Message: "this " + idempotencyHeader + " came with another request before; every request takes a key of its own",
		}
	case kept.Lost:
		return core.Conflict("idempotency_answer_lost", "the request with this %s took effect, but its answer was lost; "+
			"look at what is there before you send it under another key", idempotencyHeader)
	case kept.Answer.Status == 0:
		return core.Conflict("idempotency_key_in_use", "a request with this %s is under way; ask again in a moment", idempotencyHeader)
	default:
		return c.replay(box, kept.Answer)
	}
}

// idempotencyKey returns the key of the request, "" for none.
func idempotencyKey(r *http.Request) (string, error) {
	values := r.Header[idempotencyHeader]
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	good := len(values) == 1 && key != "" && len(key) <= maxIdempotencyKey
	for i := 0; good && i < len(key); i++ {
		good = key[i] > ' ' && key[i] < 0x7f
	}
	if !good {
		return "", core.BadRequest("bad_idempotency_key", "%s takes one key of 1 to %d visible ASCII characters", idempotencyHeader, maxIdempotencyKey)
	}
	return key, nil
}

// fingerprintOf tells requests under one key apart.
func fingerprintOf(r *http.Request, body []byte) [32]byte {
	h := sha256.New()
	h.Write([]byte(r.Method + " " + r.URL.RequestURI() + "\n"))
	h.Write(body)
	return [32]byte(h.Sum(nil))
}

// answerOnce lets do answer into memory, keeps the answer under the claimed key and
// sends it. A claim that leads to no answer worth keeping is given back, as far as
// nothing took effect.
func (c *call) answerOnce(box *seal, claim ports.IdempotencyClaim, do func() error) error {
	store, sent, asked := c.api.Idempotency, c.w, c.r
	c.r = c.r.Clone(ports.WithClaim(c.ctx(), claim))
	c.r.Header.Del("Accept-Encoding")     // repetitions may ask for another coding
	ctx := context.WithoutCancel(c.ctx()) // who hangs up will ask again
	settled := false
	defer func() {
		if !settled { // do panicked
			_ = store.Abandon(ctx, claim) // it expires by itself
		}
	}()
	held := &heldAnswer{header: sent.Header()}
	c.w = held
	err := do()
	if err != nil {
		httpx.WriteProblem(c.w, c.r, err)
	}
	c.w, settled = sent, true
	if err == nil || repeatable(err) {
		err = store.Finish(ctx, claim, box.close(held))
	} else {
		err = store.Abandon(ctx, claim)
	}
	if err != nil { // the answer stands; what is lost is that it can be repeated
		httpx.RecordFault(ctx, err)
	}
	send(sent, asked, held.status, held.body.Bytes())
	return nil
}

// repeatable reports whether the same request would be refused with err again, as
// long as its caller does nothing about it.
func repeatable(err error) bool {
	public := httpx.Public(err)
	status := httpx.Status(public.Kind)
	return status >= 400 && status < 500 && public.Kind != core.KindTooManyRequests && public.Code != "changed_meanwhile"
}

// replay gives an answer again.
func (c *call) replay(box *seal, answer ports.Answer) error {
	body, err := box.open(answer.Body)
	if err != nil {
		return err
	}
	h := c.w.Header()
	for name, value := range answer.Header {
		h[name] = []string{value}
	}
	h.Set("Idempotent-Replayed", "true")
	send(c.w, c.r, answer.Status, body)
	return nil
}

// send answers with a body, or without one.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	if len(body) == 0 {
		w.WriteHeader(status)
		return
	}
	httpx.WriteBody(w, r, status, body)
}

// heldAnswer is a response that stays here until it is kept.
type heldAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (h *heldAnswer) Header() http.Header { return h.header }

func (h *heldAnswer) WriteHeader(status int) {
	if h.status == 0 {
		h.status = status
	}
}

func (h *heldAnswer) Write(b []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	return h.body.Write(b)
}

// seal closes answers so that only the key opens them: some hold a secret that is
// shown once, and a copy of the database must not tell it. For the same reason the
// store is given a digest of the key.
type seal struct {
	key  ports.IdempotencyKey
	aead cipher.AEAD
}

func newSeal(actor core.Actor, key string) (*seal, error) {
	caller := "user:" + strconv.FormatInt(actor.UserID(), 10)
	if actor.Token != nil {
		caller = "token:" + strconv.FormatInt(actor.Token.ID, 10)
	}
	material, err := hkdf.Key(sha256.New, []byte(key), []byte(caller), "idempotency", 64)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(material[32:])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &seal{key: ports.IdempotencyKey{Caller: caller, Key: hex.EncodeToString(material[:32])}, aead: aead}, nil
}

// close returns the answer as it is kept.
func (s *seal) close(held *heldAnswer) ports.Answer {
	kept := ports.Answer{Status: held.status, Header: map[string]string{}, Body: s.aead.Seal(nil, nil, held.body.Bytes(), nil)}
	for _, name := range keptHeaders {
		if value := held.header.Get(name); value != "" {
			kept.Header[name] = value
		}
	}
	return kept
}

func (s *seal) open(body []byte) ([]byte, error) { return s.aead.Open(nil, nil, body, nil) }
