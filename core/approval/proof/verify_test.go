package proof_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/approval/proof"
	"imprimatur/core/canonical"
	"imprimatur/core/secret"
	"imprimatur/core/signing"
	"imprimatur/test/newsroom"
)

type object = map[string]any

// clock returns a time that moves by one second with each call.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time {
	c.now = c.now.Add(time.Second)
	return c.now
}

// fixture is a newsroom on the memory stores.
type fixture struct {
	*newsroom.Fixture
	publications *proof.Publications
	keys         *signing.Keys
	clock        *clock
}

func setup(t testing.TB) *fixture {
	t.Helper()
	c := &clock{time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)}
	store := memory.NewAt(c)
	keys := signing.NewKeys(store.Stores().SigningKeys, store.Stores().Clock, store, secret.New())
	return &fixture{newsroom.New(t, store.Stores(), store, c), proof.NewPublications(store.Stores(), keys), keys, c}
}

// reviewed returns the proof of an article that three users approved.
func (f *fixture) reviewed(t testing.TB) []byte {
	t.Helper()
	_, err := f.Workflows.SetProject(t.Context(), core.Actor{System: true}, f.Project, approval.WorkflowInput{
		Steps:             []approval.StepInput{newsroom.Step(1, core.RoleAdmin), newsroom.CustomRoleStep(2, f.Legal), newsroom.Step(3, core.RoleDepartmentAdmin)},
		AllowSelfApproval: new(bool),
	})
	require.NoError(t, err)
	id := f.Create(newsroom.Article("Ceasefire <b>&</b> \u2028 é 😀", newsroom.Published(true), newsroom.Field("note", "hidden"))).ID
	for _, name := range []string{"admin", "legal", "department"} {
		require.NoError(t, f.Approve(name, id), name)
	}
	return f.proof(t, id, 1)
}

// open returns the proof of an article that no workflow governed, which was unpublished.
func (f *fixture) open(t testing.TB) []byte {
	t.Helper()
	id := f.Create(newsroom.Article("Ceasefire", newsroom.Published(true))).ID
	f.Update(id, newsroom.Article("Second"))
	return f.proof(t, id, 1)
}

func (f *fixture) proof(t testing.TB, id, number int64) []byte {
	t.Helper()
	p, err := f.publications.Proof(t.Context(), f.Ref(id), number)
	require.NoError(t, err)
	text, err := json.Marshal(p)
	require.NoError(t, err)
	return text
}

// change is one change of a proof.
type change struct {
	name string
	// edit changes the decoded proof. Its own hash is computed again afterwards.
	edit func(p object)
	// text changes the text instead.
	text func(text string) string
	want string // part of the fault
}

func digest(v any) string {
	raw, err := json.Marshal(v)
	if err == nil {
		raw, err = canonical.Transform(raw)
	}
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// sumOf returns the hash of a text.
func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func part(p object, path ...string) object {
	for _, name := range path {
		p = p[name].(object)
	}
	return p
}

func action(p object, n int) object { return part(p, "request")["actions"].([]any)[n].(object) }

// relink computes the whole chain again, as someone who can write to the database could.
func relink(p object) {
	request := part(p, "request")
	previous := digest(request["terms"])
	for _, a := range request["actions"].([]any) {
		a := a.(object)
		a["previousHash"] = previous
		line := maps.Clone(a)
		delete(line, "id")
		delete(line, "hash")
		previous = digest(line)
		a["hash"] = previous
	}
	request["chainHash"] = previous
}

// recontent replaces the content and computes its hash wherever it is named.
func recontent(p object, content string) {
	hash := sumOf(content)
	p["content"], p["contentHash"] = content, hash
	if p["request"] != nil {
		part(p, "request", "terms")["contentHash"] = hash
		for _, a := range part(p, "request")["actions"].([]any) {
			a.(object)["contentHash"] = hash
		}
		relink(p)
	}
}

// changes apply to the proof of a reviewed article: submit, three approvals, publish.
var changes = []change{
	{name: "another format", edit: func(p object) { p["format"] = 4 }, want: "format must be 1, 2 or 3"},
	{name: "an unknown member", edit: func(p object) { p["note"] = "x" }, want: "note is an unknown member"},
	{name: "a member less", edit: func(p object) { delete(p, "publication") }, want: "publication is missing"},
	{name: "content", edit: func(p object) { p["content"] = strings.Replace(p["content"].(string), "Ceasefire", "Ceasefyre", 1) }, want: "contentHash is not the hash of content"},
	{name: "the content's hash", edit: func(p object) { p["contentHash"] = strings.Repeat("0", 64) }, want: "contentHash is not the hash of content"},
	{name: "content and its hash", edit: func(p object) {
		content := strings.Replace(p["content"].(string), "Ceasefire", "Slipped in", 1)
		p["content"], p["contentHash"] = content, fmt.Sprintf("%x", sha256.Sum256([]byte(content)))
	}, want: "request.terms.contentHash is not that of the content"},
	{name: "content that is not canonical", edit: func(p object) { recontent(p, " "+p["content"].(string)) }, want: "content is not in its canonical form: byte 0"},
	{name: "content that is no JSON", edit: func(p object) { recontent(p, p["content"].(string)+"}") }, want: "content is not JSON: byte "},
	{name: "content with a foreign member", edit: func(p object) {
		recontent(p, strings.Replace(p["content"].(string), `,"locale"`, `,"hidden":1,"locale"`, 1))
	}, want: "content.hidden is an unknown member"},
	{name: "content of another locale", edit: func(p object) {
		recontent(p, strings.Replace(p["content"].(string), `"locale":"en"`, `"locale":"de"`, 1))
	}, want: "request.terms.locale is not that of the content"},
	{name: "another entry", edit: func(p object) { part(p, "publication")["entryId"] = 99 }, want: "request.terms.entryId is not that of the publication"},
	{name: "no number", edit: func(p object) { part(p, "publication")["number"] = 0 }, want: "publication.number must be"},
	{name: "an earlier time", edit: func(p object) { part(p, "publication")["publishedAt"] = "2026-01-01T00:00:00.000Z" }, want: "publication.publishedAt is not the time of the last action"},
	{name: "a time in another form", edit: func(p object) { part(p, "publication")["publishedAt"] = "2026-03-03T12:00:00Z" }, want: "publication.publishedAt must be a time"},
	{name: "an end before the beginning", edit: func(p object) { part(p, "publication")["unpublishedAt"] = "2026-01-01T00:00:00.000Z" }, want: "publication.unpublishedAt is before"},
	{name: "another publisher", edit: func(p object) { part(p, "publication", "by")["name"] = "Mallory" }, want: "publication.by is not the actor of the last action"},
	{name: "a step less", edit: func(p object) {
		terms := part(p, "request", "terms")
		terms["steps"] = terms["steps"].([]any)[:2]
	}, want: "request.actions[0].previousHash is not the hash of request.terms"},
	{name: "a step less, all hashes again", edit: func(p object) {
		terms := part(p, "request", "terms")
		terms["steps"] = terms["steps"].([]any)[:2]
		relink(p)
	}, want: "request.actions[2].outcome.status does not follow"},
	{name: "steps in another order", edit: func(p object) { slices.Reverse(part(p, "request", "terms")["steps"].([]any)); relink(p) }, want: "stepOrder must be an integer"},
	{name: "a comment", edit: func(p object) { action(p, 1)["comment"] = "Looks fine" }, want: "request.actions[1].hash is not the hash of the action"},
	{name: "an approver", edit: func(p object) { action(p, 1)["actor"].(object)["id"] = 77 }, want: "request.actions[1].hash"},
	{name: "an approver, all hashes again", edit: func(p object) { action(p, 1)["actor"].(object)["id"] = 77; relink(p) }, want: "request.actions[1].outcome.approvers does not follow"},
	{name: "a contributor approves", edit: func(p object) {
		terms := part(p, "request", "terms")
		terms["contributors"] = append(terms["contributors"].([]any), action(p, 1)["actor"])
		relink(p)
	}, want: "must not be the submitter"},
	{name: "no contributors", edit: func(p object) { delete(part(p, "request", "terms"), "contributors"); relink(p) }, want: "request.terms.contributors must be an array"},
	{name: "the submitter approves", edit: func(p object) { action(p, 1)["actor"] = action(p, 0)["actor"]; relink(p) }, want: "must not be the submitter"},
	{name: "a proof that no step asks for", edit: func(p object) { action(p, 1)["verified"] = "totp"; relink(p) }, want: "request.actions[1].verified must be left out"},
	{name: "no proof where a step asks for it", edit: func(p object) {
		part(p, "request", "terms")["steps"].([]any)[1].(object)["reauthenticate"] = true
		relink(p)
	}, want: "request.actions[2].verified must be password, totp, passkey or provider"},
	{name: "a proof by a recovery code", edit: func(p object) {
		part(p, "request", "terms")["steps"].([]any)[0].(object)["reauthenticate"] = true
		action(p, 1)["verified"] = "recovery"
		relink(p)
	}, want: "request.actions[1].verified must be password, totp, passkey or provider"},
	{name: "a proof that is false", edit: func(p object) {
		part(p, "request", "terms")["steps"].([]any)[0].(object)["reauthenticate"] = false
		relink(p)
	}, want: "reauthenticate must be true, or left out"},
	{name: "an approval left out", edit: func(p object) {
		r := part(p, "request")
		r["actions"] = slices.Delete(r["actions"].([]any), 2, 3)
	}, want: "request.actions[2].previousHash is not the hash of the action before"},
	{name: "an approval left out, all hashes again", edit: func(p object) {
		r := part(p, "request")
		r["actions"] = slices.Delete(r["actions"].([]any), 2, 3)
		relink(p)
	}, want: "request.actions[2].stepOrder is not the step that the request waits at"},
	{name: "approvals in another order", edit: func(p object) {
		all := part(p, "request")["actions"].([]any)
		all[1], all[2] = all[2], all[1]
		relink(p)
	}, want: "request.actions[1].stepOrder"},
	{name: "a rejection", edit: func(p object) { action(p, 2)["type"] = "reject"; relink(p) }, want: "ends the request without a publication"},
	{name: "an unknown action", edit: func(p object) { action(p, 2)["type"] = "bless"; relink(p) }, want: "request.actions[2].type is unknown"},
	{name: "no publication", edit: func(p object) {
		r := part(p, "request")
		r["actions"] = r["actions"].([]any)[:4]
		r["chainHash"] = action(p, 3)["hash"]
	}, want: "does not publish the content"},
	{name: "an action about another content", edit: func(p object) { action(p, 3)["contentHash"] = strings.Repeat("0", 64); relink(p) }, want: "request.actions[3].contentHash is not that of the terms"},
	{name: "another end of the chain", edit: func(p object) { part(p, "request")["chainHash"] = strings.Repeat("0", 64) }, want: "request.chainHash"},
	{name: "another state", edit: func(p object) { part(p, "request", "state")["version"] = 9 }, want: "request.state is not the outcome of the last action"},
	{name: "another submission time", edit: func(p object) { part(p, "request", "terms")["submittedAt"] = "2026-01-01T00:00:00.000Z"; relink(p) }, want: "createdAt is not request.terms.submittedAt"},
	{name: "no actions", edit: func(p object) { part(p, "request")["actions"] = []any{} }, want: "request.actions must not be empty"},
	{name: "the hash of the document", text: func(text string) string { return strings.Replace(text, `"number":1`, `"number":2`, 1) }, want: "hash is not the hash of the other members"},
	{name: "a duplicate member", text: func(text string) string { return strings.Replace(text, `{"format":2`, `{"format":2,"format":2`, 1) }, want: "byte 12: duplicate member"},
	{name: "a number that becomes null", text: func(text string) string { return strings.Replace(text, `"comment":null`, `"comment":1e999`, 1) }, want: "byte "},
	{name: "an unpaired surrogate", text: func(text string) string { return strings.Replace(text, `{"format":2`, `{"\udc00":1,"format":2`, 1) }, want: "byte "},
	{name: "deep nesting", text: func(text string) string {
		return strings.Replace(text, `{"format":2`, `{"x":`+strings.Repeat("[", 200)+strings.Repeat("]", 200)+`,"format":2`, 1)
	}, want: "nested too deep"},
	{name: "a byte order mark", text: func(text string) string { return "\ufeff" + text }, want: "byte 0: "},
	{name: "a year of five digits", edit: func(p object) { part(p, "publication")["unpublishedAt"] = "+010000-01-01T00:00:00.000Z" }, want: "publication.unpublishedAt must be a time"},
	{name: "null for a time that is left out", edit: func(p object) {
		action(p, 0)["outcome"].(object)["scheduledUnpublishAt"] = nil
		relink(p)
	}, want: "outcome.scheduledUnpublishAt does not follow"},
	{name: "half a document", text: func(text string) string { return text[:len(text)/2] }, want: "byte "},
	{name: "a wrong byte", text: func(text string) string { return strings.Replace(text, "Ceasefire", "Cease\xffire", 1) }, want: "invalid UTF-8"},
	{name: "text behind the document", text: func(text string) string { return text + "{}" }, want: "unexpected text after"},
}

func (c change) apply(t testing.TB, text []byte) []byte {
	t.Helper()
	if c.text != nil {
		changed := c.text(string(text))
		require.NotEqual(t, string(text), changed, c.name)
		return []byte(changed)
	}
	var p object
	require.NoError(t, json.Unmarshal(text, &p))
	c.edit(p)
	signature := p["signature"]
	delete(p, "hash")
	delete(p, "signature")
	p["hash"] = digest(p)
	p["signature"] = signature
	changed, err := json.Marshal(p)
	require.NoError(t, err)
	return changed
}

// TestVerifiersAgree gives real and changed proofs to Verify and to a verifier in JavaScript.
func TestVerifiersAgree(t *testing.T) {
	t.Parallel()
	f := setup(t)
	open := f.open(t)
	whole := f.reviewed(t)
	all, err := f.keys.Keys(t.Context())
	require.NoError(t, err)
	_, keys := trusted(t, all...)
	s, err := proof.Verify(whole, keys)
	require.NoError(t, err)
	require.Equal(t, []any{3, 5, "CR-2026-0001", int64(1), ""}, []any{s.Steps, s.Actions, s.ReleaseNumber, s.Number, s.UnpublishedAt})
	require.Zero(t, s.Confirmed)
	confirmed := unsigned(t, change{edit: func(p object) {
		part(p, "request", "terms")["steps"].([]any)[1].(object)["reauthenticate"] = true
		action(p, 2)["verified"] = "passkey"
		relink(p)
	}}.apply(t, whole))
	s, err = proof.Verify(confirmed, keys)
	require.NoError(t, err)
	require.Equal(t, 1, s.Confirmed)
	s, err = proof.Verify(open, keys)
	require.NoError(t, err)
	require.NotEmpty(t, s.UnpublishedAt)
	require.NotContains(t, string(whole), "hidden")

	format1 := unsigned(t, change{edit: func(p object) {
		terms := part(p, "request", "terms")
		terms["format"] = 1
		delete(terms, "contributors")
		relink(p)
	}}.apply(t, whole))
	s, err = proof.Verify(format1, keys)
	require.NoError(t, err)
	require.False(t, s.Trusted)

	// The installation proves a request of before format 2 as it does others.
	var before object
	require.NoError(t, json.Unmarshal(format1, &before))
	signer := newSigner(all[0].Installation, all[0].From, f.clock.now)
	before["format"], before["installation"], before["signedAt"] = 2, all[0].Installation, core.FormatTime(signer.at)
	oldRequest, err := json.Marshal(sign(before, signer, signer.key.Fingerprint, base64.StdEncoding.EncodeToString(signer.key.Public)))
	require.NoError(t, err)
	var document []byte
	document, keys = trusted(t, all[0], signer.key)
	s, err = proof.Verify(oldRequest, keys)
	require.NoError(t, err)
	require.True(t, s.Trusted)

	texts := [][]byte{whole, open, oldRequest, format1}
	for _, c := range changes {
		changed := c.apply(t, whole)
		_, err := proof.Verify(changed, keys)
		require.ErrorContains(t, err, c.want, c.name)
		texts = append(texts, changed)
	}
	for _, c := range changes[:8] {
		if !strings.Contains(c.want, "request") {
			changed := c.apply(t, open)
			_, err := proof.Verify(changed, keys)
			require.ErrorContains(t, err, c.want, c.name)
			texts = append(texts, changed)
		}
	}
	for i, line := range byNode(t, document, texts) {
		require.Equal(t, i < 3, line == "valid", "proof %d: %s", i, line)
		require.Equal(t, i == 3, line == "consistent, unsigned", "proof %d: %s", i, line)
	}
}

// unsigned returns a proof as a proof of format 1, which has no signature.
func unsigned(t testing.TB, text []byte) []byte {
	t.Helper()
	var p object
	require.NoError(t, json.Unmarshal(text, &p))
	for _, name := range []string{"installation", "key", "signedAt", "signature", "hash"} {
		delete(p, name)
	}
	p["format"] = 1
	p["hash"] = digest(p)
	text, err := json.Marshal(p)
	require.NoError(t, err)
	return text
}

// byNode returns what the verifier in JavaScript, which trusts the keys of document, prints about
// each text.
func byNode(t testing.TB, document []byte, texts [][]byte) []string {
	t.Helper()
	folder := t.TempDir()
	trusts := filepath.Join(folder, "keys.json")
	require.NoError(t, os.WriteFile(trusts, document, 0o600))
	arguments := []string{"../../../test/conformance/verify-proof.mjs", "--key", trusts}
	for i, text := range texts {
		file := filepath.Join(folder, fmt.Sprintf("%d.json", i))
		require.NoError(t, os.WriteFile(file, text, 0o600))
		arguments = append(arguments, file)
	}
	output, _ := exec.CommandContext(t.Context(), "node", arguments...).Output()
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	require.Len(t, lines, len(texts))
	return lines
}

// No change of one byte is accepted.
func TestEveryByteCounts(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.open(t)
	whole := f.reviewed(t)
	for i := range whole {
		changed := slices.Clone(whole)
		changed[i] ^= 1
		_, err := proof.Verify(changed, nil)
		if want := changed[i] == whole[i]; want != (err == nil) {
			require.Error(t, err, "byte %d: %s", i, changed[max(0, i-20):min(len(changed), i+20)])
		}
	}
}

// A proof shows all of the content or none.
func TestNoProofOfHiddenFields(t *testing.T) {
	t.Parallel()
	f := setup(t)
	id := f.Create(newsroom.Article("Open", newsroom.Published(true), newsroom.Field("code", "canary"))).ID
	stored, err := f.Stores.Collections.Collection(t.Context(), f.Project.ID, f.Articles.ID)
	require.NoError(t, err)
	stored.Field("code").Hidden = true
	stored.Version++
	require.NoError(t, f.Stores.Collections.Update(t.Context(), stored))
	_, err = f.publications.Proof(t.Context(), f.Ref(id), 1)
	require.ErrorIs(t, err, core.ErrConflict)
	shown, err := f.publications.Publication(t.Context(), f.Ref(id), 1)
	require.NoError(t, err)
	require.NotContains(t, string(shown.Fields), "canary")
	require.Contains(t, string(shown.Fields), "Open")
}

// BenchmarkVerify verifies a proof with 100,000 actions.
func BenchmarkVerify(b *testing.B) {
	f := setup(b)
	var p object
	require.NoError(b, json.Unmarshal(f.reviewed(b), &p))
	request := part(p, "request")
	all := request["actions"].([]any)
	more := []any{all[0]}
	for n := range 100_000 - len(all) {
		a := maps.Clone(all[0].(object))
		a["type"] = "reschedule"
		a["outcome"] = maps.Clone(a["outcome"].(object))
		a["outcome"].(object)["version"] = n + 2
		more = append(more, a)
	}
	added := float64(len(more) - 1)
	for _, a := range all[1:] {
		outcome := a.(object)["outcome"].(object)
		outcome["version"] = outcome["version"].(float64) + added
		more = append(more, a)
	}
	request["actions"], request["state"] = more, more[len(more)-1].(object)["outcome"]
	relink(p)
	text, err := json.Marshal(p)
	require.NoError(b, err)
	text = unsigned(b, text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, err := proof.Verify(text, nil)
		require.NoError(b, err)
	}
}

// TestDocumentedExample checks the example of api/proof.md: a proof, the two canonical forms that
// it is made of, and the keys.
func TestDocumentedExample(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../api/proof.md")
	require.NoError(t, err)
	_, example, _ := strings.Cut(string(page), "\n## Example\n")
	var blocks []string
	for _, block := range strings.Split(example, "```json\n")[1:] {
		text, _, _ := strings.Cut(block, "\n```")
		blocks = append(blocks, text)
	}
	require.Len(t, blocks, 4)
	keys, err := proof.ReadKeys([]byte(blocks[3]))
	require.NoError(t, err)
	s, err := proof.Verify([]byte(blocks[0]), keys)
	require.NoError(t, err)
	require.True(t, s.Trusted)
	require.Equal(t, []string{"valid"}, byNode(t, []byte(blocks[3]), [][]byte{[]byte(blocks[0])}))
	var p object
	require.NoError(t, json.Unmarshal([]byte(blocks[0]), &p))
	require.Contains(t, example, "`"+p["content"].(string)+"`")
	delete(p, "signature")
	require.Equal(t, blocks[2], string(canonical.Of(p)))
	delete(p, "hash")
	require.Equal(t, blocks[1], string(canonical.Of(p)))
}
