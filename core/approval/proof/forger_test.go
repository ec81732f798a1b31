package proof_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval/proof"
	"imprimatur/core/canonical"
	"imprimatur/core/installation"
	"imprimatur/core/schedule"
	"imprimatur/core/signing"
	"imprimatur/test/newsroom"
)

// testSigner signs with one key at one time. It implements ports.Signer.
type testSigner struct {
	key     installation.SigningKey
	private ed25519.PrivateKey
	at      time.Time
}

func newSigner(issuer string, from, at time.Time) *testSigner {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	key := installation.SigningKey{Fingerprint: canonical.Hash(public), Installation: issuer, Public: public, From: from}
	return &testSigner{key: key, private: private, at: at}
}

func (s *testSigner) Sign(_ context.Context, message func(installation.SigningKey, time.Time) []byte) ([]byte, error) {
	return ed25519.Sign(s.private, message(s.key, s.at)), nil
}

// trusted returns the document of the keys, and the keys that it names.
func trusted(t testing.TB, keys ...installation.SigningKey) ([]byte, *proof.Keys) {
	t.Helper()
	text, err := json.Marshal(signing.DocumentOf(keys))
	require.NoError(t, err)
	read, err := proof.ReadKeys(text)
	require.NoError(t, err)
	return text, read
}

// scheduled returns the proof of an article whose time was changed twice between its approvals and
// that was published at its time.
func (f *fixture) scheduled(t testing.TB) []byte {
	t.Helper()
	f.SetWorkflow(newsroom.Step(1, core.RoleAdmin), newsroom.Step(3, core.RoleDepartmentAdmin))
	due, end := f.clock.now.Add(time.Hour), f.clock.now.Add(24*time.Hour)
	id := f.Create(newsroom.Article("Later", newsroom.Published(true), newsroom.At(due), newsroom.Until(&end))).ID
	for i, name := range []string{"admin", "department"} {
		require.NoError(t, f.Approve(name, id))
		due = due.Add(time.Hour)
		_, err := f.Reviews.Reschedule(t.Context(), f.Actor("department"), f.Ref(id), schedule.Times{PublishAt: core.Some(due)})
		require.NoError(t, err, i)
	}
	f.clock.now = due
	_, _, err := f.Worker.PublishDue(t.Context())
	require.NoError(t, err)
	return f.proof(t, id, 1)
}

// mutations returns changed copies of a JSON value: each value at any depth is changed, each member
// left out, and members added to each object. yield gets the place of the change.
func mutations(v any, place string, yield func(place string, changed any)) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range map[string]any{"toString": "added", "__proto__": object{}, "scheduledUnpublishAt": nil} {
			if _, has := v[name]; !has {
				added := maps.Clone(v)
				added[name] = value
				yield(place+" + "+name, added)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			without := maps.Clone(v)
			delete(without, name)
			yield(place+"."+name+" left out", without)
			mutations(v[name], place+"."+name, func(at string, changed any) {
				copied := maps.Clone(v)
				copied[name] = changed
				yield(at, copied)
			})
		}
	case []any:
		yield(place+" emptied", []any{})
		if len(v) > 0 {
			yield(place+" repeated", append(slices.Clone(v), v[len(v)-1]))
			yield(place+" shortened", slices.Clone(v[1:]))
		}
		if len(v) > 1 {
			turned := slices.Clone(v)
			slices.Reverse(turned)
			yield(place+" turned", turned)
		}
		for i := range v {
			mutations(v[i], fmt.Sprintf("%s[%d]", place, i), func(at string, changed any) {
				copied := slices.Clone(v)
				copied[i] = changed
				yield(at, copied)
			})
		}
	case string:
		yield(place, "x"+v)
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			yield(place+" later", core.FormatTime(at.Add(time.Millisecond)))
		}
		if len(v) == 64 {
			yield(place+" of another", canonical.Hash([]byte(v)))
		}
	case float64:
		yield(place, v+1)
	case bool:
		yield(place, !v)
	case nil:
		yield(place, "x")
		yield(place+" set", core.FormatTime(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)))
	}
}

// forgeries returns the changed copies of a proof. All hashes are computed again.
func forgeries(t testing.TB, text []byte) map[string]object {
	t.Helper()
	all := map[string]object{}
	add := func(place string, changed any) {
		if p, ok := changed.(object); ok {
			raw, err := json.Marshal(p)
			require.NoError(t, err)
			var own object
			require.NoError(t, json.Unmarshal(raw, &own))
			rehash(own)
			all[place] = own
		}
	}
	var p object
	require.NoError(t, json.Unmarshal(text, &p))
	mutations(p, "proof", add)
	var content any
	require.NoError(t, json.Unmarshal([]byte(p["content"].(string)), &content))
	mutations(content, "content", func(place string, changed any) {
		copied := maps.Clone(p)
		copied["content"] = string(canonical.Of(changed))
		add(place, copied)
	})
	return all
}

// rehash computes all hashes again that a forger can compute.
func rehash(p object) {
	defer func() { _ = recover() }() // a part that is needed was changed
	defer func() {
		delete(p, "hash")
		signature, signed := p["signature"]
		delete(p, "signature")
		p["hash"] = digest(p)
		if signed {
			p["signature"] = signature
		}
	}()
	recontent(p, p["content"].(string))
}

// sign signs a forgery with another key, which it names as given.
func sign(p object, s *testSigner, id, public any) object {
	p = maps.Clone(p)
	p["key"] = object{"id": id, "publicKey": public}
	delete(p, "signature")
	delete(p, "hash")
	p["hash"] = digest(p)
	p["signature"] = base64.StdEncoding.EncodeToString(ed25519.Sign(s.private, canonical.Of(p)))
	return p
}

// TestForger changes each member of real proofs in turn, computes all hashes again, and signs as a
// forger can. No forgery passes with the trusted key, and both verifiers judge alike.
func TestForger(t *testing.T) {
	t.Parallel()
	f := setup(t)
	open := f.open(t)
	later := f.scheduled(t)
	genuine := map[string][]byte{"ungoverned": open, "scheduled": later, "reviewed": f.reviewed(t)}
	key, err := f.keys.Keys(t.Context())
	require.NoError(t, err)
	document, keys := trusted(t, key...)
	forger := newSigner(key[0].Installation, key[0].From, f.clock.now)
	own := base64.StdEncoding.EncodeToString(forger.key.Public)
	var texts [][]byte
	var names []string
	count := 0
	for _, kind := range slices.Sorted(maps.Keys(genuine)) {
		text := genuine[kind]
		s, err := proof.Verify(text, keys)
		require.NoError(t, err, kind)
		require.True(t, s.Trusted)
		var original object
		require.NoError(t, json.Unmarshal(text, &original))
		theirs := part(original, "key")
		all := forgeries(t, text)
		all["nothing"] = original
		for _, place := range slices.Sorted(maps.Keys(all)) {
			forged := all[place]
			variants := map[string]object{"the own key": sign(forged, forger, forger.key.Fingerprint, own)}
			if len(texts)%5 == 0 || place == "nothing" {
				variants["the id of the key"] = sign(forged, forger, theirs["id"], own)
				variants["the key"] = sign(forged, forger, theirs["id"], theirs["publicKey"])
				variants["the bytes of the key"] = sign(forged, forger, forger.key.Fingerprint, theirs["publicKey"])
			}
			if place != "nothing" {
				variants["the old signature"] = forged
			}
			unsigned := maps.Clone(forged)
			for _, name := range []string{"installation", "key", "signedAt", "signature", "hash"} {
				delete(unsigned, name)
			}
			unsigned["format"] = 1
			unsigned["hash"] = digest(unsigned)
			variants["format 1"] = unsigned
			for _, how := range slices.Sorted(maps.Keys(variants)) {
				variant := variants[how]
				if digest(variant) == digest(original) {
					continue // a changed hash was computed again
				}
				raw, err := json.Marshal(variant)
				require.NoError(t, err)
				s, err := proof.Verify(raw, keys)
				require.False(t, err == nil && s.Trusted, "%s: %s with %s passes: %s", kind, place, how, raw)
				count++
				if count%4 == 0 || place == "nothing" {
					texts, names = append(texts, raw), append(names, kind+": "+place+" with "+how)
				}
			}
		}
	}
	require.Greater(t, count, 2000)
	for i, line := range byNode(t, document, texts) {
		s, err := proof.Verify(texts[i], keys)
		require.NotEqual(t, "valid", line, names[i])
		require.Equal(t, err == nil, strings.HasPrefix(line, "consistent"), "%s: %v, but %s", names[i], err, line)
		require.Equal(t, s.SignedBy == "" && err == nil, strings.HasPrefix(line, "consistent, unsigned"), "%s: %s", names[i], line)
	}
}

// TestSwaps gives parts of one genuine proof to another one.
func TestSwaps(t *testing.T) {
	t.Parallel()
	f := setup(t)
	decoded := func(text []byte) (p object) {
		require.NoError(t, json.Unmarshal(text, &p))
		return p
	}
	one := decoded(f.open(t))
	two := decoded(f.open(t))
	_, err := f.keys.Rotate(t.Context())
	require.NoError(t, err)
	f.clock.now = f.clock.now.Add(time.Minute)
	three := decoded(f.reviewed(t))
	require.NotEqual(t, one["key"], three["key"])
	all, err := f.keys.Keys(t.Context())
	require.NoError(t, err)
	document, keys := trusted(t, all...)
	var texts [][]byte
	for _, pair := range [][2]object{{one, two}, {two, one}, {one, three}, {three, one}} {
		for name := range pair[0] {
			if digest(pair[0][name]) == digest(pair[1][name]) {
				continue
			}
			for _, rehashed := range []bool{false, true} {
				mixed := maps.Clone(pair[0])
				mixed[name] = pair[1][name]
				if rehashed {
					rehash(mixed)
				}
				raw, err := json.Marshal(mixed)
				require.NoError(t, err)
				if digest(pair[0]) == digest(mixed) {
					continue // a changed hash was computed again
				}
				_, err = proof.Verify(raw, keys)
				require.Error(t, err, "%s of another proof passes", name)
				texts = append(texts, raw)
			}
		}
	}
	require.Greater(t, len(texts), 30)
	for i, line := range byNode(t, document, texts) {
		require.False(t, line == "valid" || strings.HasPrefix(line, "consistent"), "%s: %s", line, texts[i])
	}
}

// TestTrust checks a proof against the times and the state of its key.
func TestTrust(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	p := core.Publication{
		ProjectID: 1, CollectionID: 2, EntryID: 3, Number: 1, PublishedAt: at.Add(-time.Hour),
		Content: []byte(`{"collection":"a","fields":{},"locale":"en"}`), By: core.SystemActor.Ref(),
	}
	p.ContentHash = canonical.Hash(p.Content)
	signer := newSigner("one", at, at)
	made, err := proof.New(t.Context(), signer, p, nil)
	require.NoError(t, err)
	text, err := json.Marshal(made)
	require.NoError(t, err)
	stranger := newSigner("one", at, at)
	var texts, documents [][]byte
	var accepted []bool
	for name, c := range map[string]struct {
		change func(k *installation.SigningKey)
		want   string
	}{
		"the key":              {func(*installation.SigningKey) {}, ""},
		"ended later":          {func(k *installation.SigningKey) { k.Until = at.Add(time.Millisecond) }, ""},
		"ended before":         {func(k *installation.SigningKey) { k.Until = at }, "signedAt is after the last signature of the key: 2026-05-01T12:00:00.000Z"},
		"began later":          {func(k *installation.SigningKey) { k.From = at.Add(time.Millisecond) }, "signedAt is before the first signature of the key: 2026-05-01T12:00:00.001Z"},
		"revoked later":        {func(k *installation.SigningKey) { k.RevokedAt = at.Add(time.Hour) }, "key.id was revoked at 2026-05-01T13:00:00.000Z"},
		"revoked before":       {func(k *installation.SigningKey) { k.RevokedAt = at.Add(-time.Hour) }, "key.id was revoked at 2026-05-01T11:00:00.000Z"},
		"another installation": {func(k *installation.SigningKey) { k.Installation = "two" }, "installation is not that of the trusted keys: two"},
		"another key":          {func(k *installation.SigningKey) { *k = stranger.key }, "key.id is none of the trusted keys: " + signer.key.Fingerprint},
	} {
		key := signer.key
		c.change(&key)
		document, keys := trusted(t, key)
		s, err := proof.Verify(text, keys)
		if c.want == "" {
			require.NoError(t, err, name)
			require.True(t, s.Trusted, name)
		} else {
			require.EqualError(t, err, c.want, name)
		}
		texts, documents, accepted = append(texts, text), append(documents, document), append(accepted, c.want == "")
	}
	for i := range texts {
		require.Equal(t, accepted[i], byNode(t, documents[i], texts[i:i+1])[0] == "valid", "%s", documents[i])
	}
	s, err := proof.Verify(text, nil)
	require.NoError(t, err)
	require.False(t, s.Trusted)
	require.Equal(t, []string{signer.key.Fingerprint, "2026-05-01T12:00:00.000Z"}, []string{s.SignedBy, s.SignedAt})
}

func TestReadKeys(t *testing.T) {
	t.Parallel()
	one, two := newSigner("one", time.UnixMilli(0), time.Time{}).key, newSigner("one", time.UnixMilli(0), time.Time{}).key
	text, _ := trusted(t, one, two)
	for name, c := range map[string]struct{ old, new, want string }{
		"no JSON":         {"{", "[", "byte "},
		"a second member": {`{"format":1`, `{"format":1,"format":1`, "duplicate member"},
		"another format":  {`"format":1`, `"format":2`, "format must be 1"},
		"a member":        {`"until":null`, `"until":null,"note":1`, "keys[0].note is an unknown member"},
		"no end":          {`,"until":null`, ``, "keys[0].until is missing"},
		"another id":      {one.Fingerprint, two.Fingerprint, "keys[0].id is not the fingerprint of publicKey"},
		"an algorithm":    {"Ed25519", "none", "keys[0].algorithm must be Ed25519"},
		"white space":     {`="`, `=\n"`, "keys[0].publicKey must be 32 bytes in base64"},
		"a time":          {`.000Z`, `Z`, "keys[0].from must be a time"},
		"a revocation":    {`"revokedAt":null`, `"revokedAt":false`, "keys[0].revokedAt must be a"},
	} {
		changed := strings.Replace(string(text), c.old, c.new, 1)
		require.NotEqual(t, string(text), changed, name)
		_, err := proof.ReadKeys([]byte(changed))
		require.ErrorContains(t, err, c.want, name)
	}
	twice, err := json.Marshal(signing.DocumentOf([]installation.SigningKey{one, one}))
	require.NoError(t, err)
	_, err = proof.ReadKeys(twice)
	require.EqualError(t, err, "keys[1].id occurs twice")
	_, err = proof.ReadKeys([]byte(strings.Repeat(" ", 1<<20) + string(text)))
	require.ErrorContains(t, err, "has more than 1048576 bytes")
}
