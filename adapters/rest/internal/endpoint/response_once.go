package endpoint

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/ports"
)

// IdempotencyLifetime is the time for which the response to a request with an Idempotency-Key can
// be replayed. The program must delete older responses; package endpoint does not.
const IdempotencyLifetime = 24 * time.Hour

// idempotencyHeader is the request header with the idempotency key.
const idempotencyHeader = "Idempotency-Key"

const (
	maxIdempotencyKey = 255
	// claimExpiry is the validity of a claim without a response. After that the process of the
	// request is assumed to have crashed. If the request had no effect, the key can then be claimed
	// again. It is longer than any request takes.
	claimExpiry = 2 * time.Minute
)

const aboutIdempotency = "A key that the client generates: 1 to 255 visible ASCII characters, hard to guess, such as a random UUID. " +
	"For 24 hours, repeating the request with the same key returns the same response with the header Idempotent-Replayed and has no further effect. " +
	"Another request with the same key results in 422; while the first request is running, the status is 409. " +
	"If the first request took effect but its response was lost in a crash, the status is 409 with the code idempotency_answer_lost: " +
	"check the resource before you send the request with another key. " +
	"Requests are compared without passwords, which are not stored in any form with the key."

// storedHeaders are the headers of a stored response. X-Request-Id is the id of the request
// that took effect.
var storedHeaders = []string{"Content-Type", "Cache-Control", "Etag", "Location", "X-Request-Id"}

// Once runs do at most once per idempotency key. body distinguishes requests with the same key.
// A repeated request receives the stored response without a second effect. Once does not store
// errors that a retry may avoid. For a request without a key it only calls do.
func (c *Call) Once(body []byte, do func() error) error {
	key, err := idempotencyKey(c.Request)
	if err != nil {
		return err
	}
	if key == "" {
		return do()
	}
	s, err := newSealer(c.Actor, key)
	if err != nil {
		return err
	}
	fingerprint := s.fingerprint(c.set.fingerprints, c.Request, body)
	claim, earlier, err := c.set.idempotency.Begin(c.Context(), s.key, fingerprint, claimExpiry)
	switch {
	case err != nil:
		return err
	case claim != nil:
		return c.runOnce(s, *claim, do)
	case earlier.Fingerprint != fingerprint:
		return &core.Error{
			Kind: core.KindInvalid, Code: "idempotency_key_reused",
			Message: "this " + idempotencyHeader + " was used with another request; use a new key for every request",
		}
	case earlier.Lost:
		return core.Conflict("idempotency_answer_lost", "the request with this %s took effect, but its response was lost; "+
			"check the resource before you send the request with another key", idempotencyHeader)
	case earlier.Response.Status == 0:
		return core.Conflict("idempotency_key_in_use", "a request with this %s is still running, retry later", idempotencyHeader)
	default:
		return c.replay(s, earlier.Response)
	}
}

// idempotencyKey returns the key of the request, or "" without one.
func idempotencyKey(r *http.Request) (string, error) {
	values := r.Header[idempotencyHeader]
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	invisible := func(r rune) bool { return r <= ' ' || r >= 0x7f }
	if len(values) != 1 || key == "" || len(key) > maxIdempotencyKey || strings.ContainsFunc(key, invisible) {
		return "", core.BadRequest("bad_idempotency_key", "%s must be one key of 1 to %d visible ASCII characters", idempotencyHeader, maxIdempotencyKey)
	}
	return key, nil
}

// withoutPasswords returns the JSON object body, which has the type t, without the members that are
// passwords. A fingerprint must not allow to guess a password.
func withoutPasswords(body []byte, t reflect.Type) []byte {
	if t.Kind() != reflect.Struct {
		return body
	}
	var members map[string]json.RawMessage
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("format") != "password" {
			continue
		}
		if members == nil && json.Unmarshal(body, &members) != nil {
			return nil
		}
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		delete(members, name)
	}
	if members == nil {
		return body
	}
	rest, err := json.Marshal(members)
	if err != nil {
		panic("endpoint: cannot encode decoded JSON: " + err.Error())
	}
	return rest
}

// runOnce runs do with a response writer in memory, stores the response under the claimed key
// and sends it. If the response must not be stored, it abandons the claim.
func (c *Call) runOnce(s *sealer, claim core.IdempotencyClaim, do func() error) error {
	store, writer, request := c.set.idempotency, c.Writer, c.Request
	c.Actor.Claim = &claim
	c.Request = c.Request.Clone(c.Context())
	c.Request.Header.Del("Accept-Encoding")   // a repeated request may accept another coding
	ctx := context.WithoutCancel(c.Context()) // the response must be stored even if the client disconnects
	settled := false
	defer func() {
		if !settled { // do panicked
			_ = store.Abandon(ctx, claim) // the claim expires if this fails
		}
	}()
	response := &bufferedResponse{header: writer.Header()}
	c.Writer = response
	err := do()
	if err != nil {
		httpx.WriteProblem(c.Writer, c.Request, err)
	}
	c.Writer, settled = writer, true
	if err == nil || permanent(err) {
		err = store.Finish(ctx, claim, s.seal(response))
	} else {
		err = store.Abandon(ctx, claim)
	}
	if err != nil { // the response is valid, but cannot be replayed
		httpx.RecordFault(ctx, err)
	}
	send(writer, request, response.status, response.body.Bytes())
	return nil
}

// permanent reports whether a retry of the request would fail with the same error. The answer
// verify_first asks for a proof, and then for the same request.
func permanent(err error) bool {
	public := httpx.Public(err)
	status := httpx.Status(public.Kind)
	return status >= 400 && status < 500 && public.Kind != core.KindTooManyRequests && public.Code != "changed_meanwhile" && public.Code != "verify_first"
}

// replay sends a stored response.
func (c *Call) replay(s *sealer, stored ports.StoredResponse) error {
	body, err := s.aead.Open(nil, nil, stored.Body, nil)
	if err != nil {
		return err
	}
	h := c.Writer.Header()
	for name, value := range stored.Header {
		h[name] = []string{value}
	}
	h.Set("Idempotent-Replayed", "true")
	send(c.Writer, c.Request, stored.Status, body)
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

// bufferedResponse is an http.ResponseWriter that keeps the response in memory.
type bufferedResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (b *bufferedResponse) Header() http.Header { return b.header }

// WriteHeader implements http.ResponseWriter.
func (b *bufferedResponse) WriteHeader(status int) {
	if b.status == 0 {
		b.status = status
	}
}

// Write implements http.ResponseWriter.
func (b *bufferedResponse) Write(p []byte) (int, error) {
	b.WriteHeader(http.StatusOK)
	return b.body.Write(p)
}

// sealer encrypts stored responses with a key derived from the idempotency key, because some
// responses contain a secret that is shown only once. A copy of the database then does not
// reveal it. For the same reason the store receives only a digest of the idempotency key.
type sealer struct {
	key  core.IdempotencyKey
	aead cipher.AEAD
	salt []byte // of fingerprints
}

func newSealer(actor core.Actor, key string) (*sealer, error) {
	caller := "user:" + strconv.FormatInt(actor.UserID(), 10)
	if actor.Assistant != nil {
		caller = "assistant:" + strconv.FormatInt(actor.Assistant.ID, 10)
	}
	if actor.Token != nil {
		caller = "token:" + strconv.FormatInt(actor.Token.ID, 10)
	}
	material, err := hkdf.Key(sha256.New, []byte(key), []byte(caller), "idempotency", 96)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(material[32:64])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &sealer{key: core.IdempotencyKey{Caller: caller, Key: hex.EncodeToString(material[:32])}, aead: aead, salt: material[64:]}, nil
}

// fingerprint returns an HMAC of the method, the URI and the body of a request. Bodies can contain
// passwords, so a guess can be checked only with the secret key and the idempotency key.
func (s *sealer) fingerprint(key []byte, r *http.Request, body []byte) [32]byte {
	mac := hmac.New(sha256.New, append(slices.Clip(key), s.salt...))
	mac.Write([]byte(r.Method + " " + r.URL.RequestURI() + "\n"))
	mac.Write(body)
	return [32]byte(mac.Sum(nil))
}

// seal returns the response for the store, with an encrypted body.
func (s *sealer) seal(response *bufferedResponse) ports.StoredResponse {
	stored := ports.StoredResponse{Status: response.status, Header: map[string]string{}, Body: s.aead.Seal(nil, nil, response.body.Bytes(), nil)}
	for _, name := range storedHeaders {
		if value := response.header.Get(name); value != "" {
			stored.Header[name] = value
		}
	}
	return stored
}
