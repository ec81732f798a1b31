package endpoint

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

// IdempotencyLifetime is how long a response to a request with an Idempotency-Key can be
// replayed. The operator of the API deletes older ones.
const IdempotencyLifetime = 24 * time.Hour

// idempotencyHeader contains the key for repeating a request.
const idempotencyHeader = "Idempotency-Key"

const (
	maxIdempotencyKey = 255
	// claimExpiry is how long a claim holds without a response. After that its process
	// counts as crashed, and the effect of the request decides whether the key can be
	// claimed again. It is longer than any request takes.
	claimExpiry = 2 * time.Minute
)

const aboutIdempotency = "A key that the client generates: 1 to 255 visible ASCII characters, hard to guess, such as a random UUID. " +
	"For 24 hours, repeating the request with the same key returns the same response with the header Idempotent-Replayed and has no further effect. " +
	"Another request with the same key results in 422; while the first request is running, the status is 409. " +
	"If the first request took effect but its response was lost in a crash, the status is 409 with the code idempotency_answer_lost: " +
	"check the resource before you send the request with another key."

// keptHeaders are the headers of a stored response. The request id is that of the request
// that took effect.
var keptHeaders = []string{"Content-Type", "Cache-Control", "Etag", "Location", "X-Request-Id"}

// Once runs do at most once per idempotency key. A repeated request with the same key
// gets the stored response without a second effect. Responses that a retry may change are
// not stored. Without a key, once calls do.
func (c *Call) Once(body []byte, do func() error) error {
	key, err := idempotencyKey(c.Request)
	if err != nil {
		return err
	}
	if key == "" {
		return do()
	}
	box, err := newSeal(c.Actor, key)
	if err != nil {
		return err
	}
	fingerprint := fingerprintOf(c.Request, body)
	claim, kept, err := c.set.idempotency.Begin(c.Context(), box.key, fingerprint, claimExpiry)
	switch {
	case err != nil:
		return err
	case claim != nil:
		return c.answerOnce(box, *claim, do)
	case kept.Fingerprint != fingerprint:
		return &core.Error{
			Kind: core.KindInvalid, Code: "idempotency_key_reused",
			Message: "this " + idempotencyHeader + " was used with another request; use a new key for every request",
		}
	case kept.Lost:
		return core.Conflict("idempotency_answer_lost", "the request with this %s took effect, but its answer was lost; "+
			"check the resource before you send the request with another key", idempotencyHeader)
	case kept.Answer.Status == 0:
		return core.Conflict("idempotency_key_in_use", "a request with this %s is still running, retry later", idempotencyHeader)
	default:
		return c.replay(box, kept.Answer)
	}
}

// idempotencyKey returns the key of the request, or "" without one.
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

// fingerprintOf returns a hash that distinguishes requests with the same key.
func fingerprintOf(r *http.Request, body []byte) [32]byte {
	h := sha256.New()
	h.Write([]byte(r.Method + " " + r.URL.RequestURI() + "\n"))
	h.Write(body)
	return [32]byte(h.Sum(nil))
}

// answerOnce runs do with a response in memory, stores the response under the claimed key
// and sends it. If the response must not be stored, it abandons the claim.
func (c *Call) answerOnce(box *seal, claim core.IdempotencyClaim, do func() error) error {
	store, sent, asked := c.set.idempotency, c.Writer, c.Request
	c.Actor.Claim = &claim
	c.Request = c.Request.Clone(c.Context())
	c.Request.Header.Del("Accept-Encoding")   // a repetition may accept another coding
	ctx := context.WithoutCancel(c.Context()) // the response must be stored even if the client disconnects
	settled := false
	defer func() {
		if !settled { // do panicked
			_ = store.Abandon(ctx, claim) // the claim expires if this fails
		}
	}()
	held := &heldAnswer{header: sent.Header()}
	c.Writer = held
	err := do()
	if err != nil {
		httpx.WriteProblem(c.Writer, c.Request, err)
	}
	c.Writer, settled = sent, true
	if err == nil || repeatable(err) {
		err = store.Finish(ctx, claim, box.close(held))
	} else {
		err = store.Abandon(ctx, claim)
	}
	if err != nil { // the response is still valid, only not repeatable
		httpx.RecordFault(ctx, err)
	}
	send(sent, asked, held.status, held.body.Bytes())
	return nil
}

// repeatable reports whether a repetition of the request would fail with the same error.
func repeatable(err error) bool {
	public := httpx.Public(err)
	status := httpx.Status(public.Kind)
	return status >= 400 && status < 500 && public.Kind != core.KindTooManyRequests && public.Code != "changed_meanwhile"
}

// replay sends a stored response.
func (c *Call) replay(box *seal, answer ports.Answer) error {
	body, err := box.open(answer.Body)
	if err != nil {
		return err
	}
	h := c.Writer.Header()
	for name, value := range answer.Header {
		h[name] = []string{value}
	}
	h.Set("Idempotent-Replayed", "true")
	send(c.Writer, c.Request, answer.Status, body)
	return nil
}

// send writes a response with an optional body.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	if len(body) == 0 {
		w.WriteHeader(status)
		return
	}
	httpx.WriteBody(w, r, status, body)
}

// heldAnswer is a response writer that keeps the response in memory.
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

// seal encrypts stored responses with the idempotency key, because some contain a secret
// that is shown once. A copy of the database then does not reveal it. For the same reason
// the store receives only a digest of the key.
type seal struct {
	key  core.IdempotencyKey
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
	return &seal{key: core.IdempotencyKey{Caller: caller, Key: hex.EncodeToString(material[:32])}, aead: aead}, nil
}

// close returns the encrypted response for the store.
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
