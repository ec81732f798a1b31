package proof

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"imprimatur/core"
	"imprimatur/core/canonical"
)

// Summary describes a proof that Verify accepted.
type Summary struct {
	// SignedBy is the fingerprint of the key that signed the proof, empty for a proof without a
	// signature (format 1). Anyone can make a key or a proof without one: only a Trusted proof was
	// made by the installation.
	SignedBy string
	SignedAt string // empty: no signature
	Trusted  bool   // the given keys have the key that signed

	EntryID, Number int64
	ContentHash     string
	PublishedAt     string
	UnpublishedAt   string // empty: the proof was made while readers saw the version
	ReleaseNumber   string // empty: no approval request
	Steps, Actions  int    // of the approval request; Steps are those that applied to it
	ReleaseName     string // empty: the request was for this entry alone
	Members         int    // of the release
	Signed          int    // approvals with a signature
	Passkeys        int    // of these, those with the signature of a passkey, which was verified
	Confirmed       int    // of the steps: those whose reviewer proved again who they are
}

// Fault is the first thing that is wrong with a proof. Location is a member, such as
// "request.actions[2].previousHash", or empty for the whole text.
type Fault struct{ Location, Message string }

func (f *Fault) Error() string {
	if f.Location == "" {
		return f.Message
	}
	return f.Location + " " + f.Message
}

// Verify checks a proof as api/proof.md describes. With trusted, which may be nil, it also checks
// that one of these keys signed the proof; a proof without a signature stays not Trusted. An error
// is a *Fault.
func Verify(text []byte, trusted *Keys) (Summary, error) {
	raw, err := canonical.Transform(text)
	if err != nil {
		return Summary{}, &Fault{"", err.Error()}
	}
	v := verifier{doc: value{raw: raw}}
	v.verify()
	if trusted != nil && v.fault == nil && v.summary.SignedBy != "" {
		v.trust(trusted)
	}
	if v.fault != nil {
		return Summary{}, v.fault
	}
	return v.summary, nil
}

// verifier checks one proof. Its methods do nothing after the first fault.
type verifier struct {
	doc     value
	summary Summary
	fault   *Fault
}

// value is a canonical JSON value. Its location in the proof is owner and name.
type value struct {
	owner, name string
	raw         []byte
	members     []member // of an object that opened returned
}

type member struct{ name, raw []byte }

// at returns the location of o.
func (o value) at() string {
	if o.owner == "" {
		return o.name
	}
	return o.owner + "." + o.name
}

// opened returns o, which must be an object, with faster access to its members.
func (o value) opened() value {
	all := make([]member, 0, 16)
	core.Document(o.raw).Each(func(name, raw []byte) { all = append(all, member{name, raw}) })
	return value{name: o.at(), raw: o.raw, members: all}
}

// member returns a member of an object; its raw is nil when the object does not have it.
func (o value) member(name string) value {
	if o.members == nil {
		return value{owner: o.at(), name: name, raw: core.Document(o.raw).Value(name)}
	}
	for i := range o.members {
		if string(o.members[i].name) == name {
			return value{owner: o.name, name: name, raw: o.members[i].raw}
		}
	}
	return value{owner: o.name, name: name}
}

func (o value) is(text string) bool { return string(o.raw) == text }

func (v *verifier) require(ok bool, at value, format string, args ...any) {
	if !ok && v.fault == nil {
		v.fault = &Fault{at.at(), fmt.Sprintf(format, args...)}
	}
}

// object requires an object with these members and no others, unless more is true. It returns the
// opened object.
func (v *verifier) object(o value, more bool, names ...string) value {
	v.require(len(o.raw) > 0 && o.raw[0] == '{', o, "must be an object")
	if v.fault != nil {
		return o
	}
	o = o.opened()
	for _, m := range o.members {
		v.require(more || slices.Contains(names, string(m.name)), value{owner: o.name, name: string(m.name)}, "is an unknown member")
	}
	for _, name := range names {
		m := o.member(name)
		v.require(m.raw != nil, m, "is missing")
	}
	return o
}

func (v *verifier) text(o value) string {
	text, ok := canonical.Text(o.raw)
	v.require(ok, o, "must be a string")
	return text
}

// maxID is the largest integer that a double holds exactly.
const maxID = 1<<53 - 1

func (v *verifier) integer(o value, least int64) int64 {
	n, err := strconv.ParseInt(string(o.raw), 10, 64)
	v.require(err == nil && n >= least && n <= maxID, o, "must be an integer of at least %d", least)
	return n
}

func (v *verifier) time(o value) string {
	text := v.text(o)
	at, err := time.Parse(time.RFC3339, text)
	v.require(err == nil && core.FormatTime(at) == text, o, "must be a time in the form 2006-01-02T15:04:05.000Z")
	return text
}

func (v *verifier) actor(o value) {
	o = v.object(o, true, "kind", "id", "name")
	kind := v.text(o.member("kind"))
	v.require(kind == "user" || kind == "token" || kind == core.KindAssistant || kind == "system", o.member("kind"), "must be user, token, assistant or system")
	v.integer(o.member("id"), 0)
	v.text(o.member("name"))
}

// elements returns the elements of an array.
func (v *verifier) elements(o value) (all []value) {
	v.require(len(o.raw) > 0 && o.raw[0] == '[', o, "must be an array")
	if v.fault != nil {
		return nil
	}
	canonical.Elements(o.raw, func(element []byte) {
		all = append(all, value{name: o.at() + "[" + strconv.Itoa(len(all)) + "]", raw: element})
	})
	return all
}

func (v *verifier) verify() {
	v.object(v.doc, true, "format")
	format := v.format(v.doc, 1, formatOfThree)
	signed := format > 1
	request, names := v.doc.member("request"), []string{"format", "content", "contentHash", "publication", "hash"}
	if request.raw != nil {
		names = append(names, "request")
	}
	if signed {
		names = append(names, "installation", "key", "signedAt", "signature")
	}
	v.doc = v.object(v.doc, false, names...)
	v.content()
	v.publication()
	if request.raw != nil || format == formatOfThree {
		v.request(request, format)
	}
	hash := v.doc.member("hash")
	v.require(v.fault != nil || v.text(hash) == canonical.Hash(without(v.doc.raw, "hash", "signature")), hash, "is not the hash of the other members")
	if signed {
		v.signature()
	}
}

// format returns the format of a proof or of terms, which must be from least to most.
func (v *verifier) format(o value, least, most int) int {
	at := o.member("format")
	n, err := strconv.Atoi(string(at.raw))
	v.require(err == nil && n >= least && n <= most, at, "must be %s", anyOf(least, most))
	return n
}

// anyOf returns "1, 2 or 3" for 1 and 3.
func anyOf(least, most int) string {
	text := strconv.Itoa(least)
	for n := least + 1; n <= most; n++ {
		text += map[bool]string{true: " or ", false: ", "}[n == most] + strconv.Itoa(n)
	}
	return text
}

// without returns a canonical object without some members.
func without(object []byte, names ...string) []byte {
	rest := append(make([]byte, 0, len(object)), '{')
	core.Document(object).Each(func(name, raw []byte) {
		if slices.Contains(names, string(name)) {
			return
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(append(append(append(rest, '"'), name...), `":`...), raw...)
	})
	return append(rest, '}')
}

// content checks that content is canonical and has its hash.
func (v *verifier) content() {
	at := v.doc.member("content")
	text := []byte(v.text(at))
	plain, err := canonical.Transform(text)
	var syntax *canonical.SyntaxError
	if errors.As(err, &syntax) {
		v.require(false, at, "is not JSON: byte %d: %s", syntax.Offset, syntax.Message)
	} else if !bytes.Equal(plain, text) {
		n := 0
		for n < len(plain) && n < len(text) && plain[n] == text[n] {
			n++
		}
		v.require(false, at, "is not in its canonical form: byte %d", n)
	}
	names := []string{"collection", "fields", "locale"}
	if core.Document(plain).Value("media") != nil {
		names = append(names, "media")
	}
	content := v.object(value{name: at.name, raw: plain}, false, names...)
	if len(names) > 3 {
		v.object(content.member("media"), true)
	}
	v.object(content.member("fields"), true)
	v.text(content.member("collection"))
	v.text(content.member("locale"))
	hash := v.doc.member("contentHash")
	v.summary.ContentHash = v.text(hash)
	v.require(v.summary.ContentHash == canonical.Hash(text), hash, "is not the hash of content")
}

func (v *verifier) publication() {
	p := v.object(v.doc.member("publication"), false, "projectId", "collectionId", "entryId", "number", "publishedAt", "unpublishedAt", "by")
	v.integer(p.member("projectId"), 1)
	v.integer(p.member("collectionId"), 1)
	v.summary.EntryID = v.integer(p.member("entryId"), 1)
	v.summary.Number = v.integer(p.member("number"), 1)
	v.summary.PublishedAt = v.time(p.member("publishedAt"))
	if end := p.member("unpublishedAt"); !end.is("null") {
		v.summary.UnpublishedAt = v.time(end)
		v.require(v.summary.UnpublishedAt >= v.summary.PublishedAt, end, "is before publishedAt")
	}
	v.actor(p.member("by"))
}
