package archive

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"imprimatur/test/program"
)

// member is a member of an archive.
type member struct {
	tar.Header
	content []byte
}

// unpack reads an archive.
func unpack(t *testing.T, path string) (members []member) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	expanded, err := zstd.NewReader(file)
	require.NoError(t, err)
	defer expanded.Close()
	archive := tar.NewReader(expanded)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return members
		}
		require.NoError(t, err)
		content, err := io.ReadAll(archive)
		require.NoError(t, err)
		members = append(members, member{*header, content})
	}
}

// pack writes an archive.
func pack(t *testing.T, members []member) string {
	t.Helper()
	var packed bytes.Buffer
	compressor, err := zstd.NewWriter(&packed)
	require.NoError(t, err)
	archive := tar.NewWriter(compressor)
	for _, m := range members {
		header := m.Header
		if header.Typeflag == tar.TypeReg {
			header.Size = int64(len(m.content))
		}
		require.NoError(t, archive.WriteHeader(&header))
		_, err := archive.Write(m.content)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, compressor.Close())
	path := filepath.Join(t.TempDir(), "packed.imp")
	require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o600))
	return path
}

// rows returns the hashes of the parts with rows of an archive.
func rows(t *testing.T, path string) map[string]string {
	t.Helper()
	hashes := map[string]string{}
	for _, m := range unpack(t, path) {
		if strings.HasPrefix(m.Name, "tables/") {
			sum := sha256.Sum256(m.content)
			hashes[m.Name] = hex.EncodeToString(sum[:])
		}
	}
	return hashes
}

func find(members []member, prefix string) int {
	for i, m := range members {
		if strings.HasPrefix(m.Name, prefix) {
			return i
		}
	}
	return -1
}

// manifest returns the members with a manifest that edit has changed.
func manifest(t *testing.T, members []member, edit func(map[string]any)) []member {
	t.Helper()
	last := len(members) - 1
	require.Equal(t, "manifest.json", members[last].Name)
	decoder := json.NewDecoder(bytes.NewReader(members[last].content))
	decoder.UseNumber()
	var m map[string]any
	require.NoError(t, decoder.Decode(&m))
	edit(m)
	text, err := json.Marshal(m)
	require.NoError(t, err)
	changed := append([]member{}, members...)
	changed[last].content = text
	return changed
}

// TestDamagedArchives gives restore and verify files that are no whole archives. Both name what is
// wrong, and restore makes no database.
func TestDamagedArchives(t *testing.T) {
	t.Parallel()
	source, _ := demoPlace(t)
	file := source.backup(t)
	whole := unpack(t, file)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	write := func(content []byte) string {
		path := filepath.Join(t.TempDir(), "damaged.imp")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		return path
	}
	edited := func(prefix string, edit func(*member)) string {
		members := append([]member{}, whole...)
		at := find(members, prefix)
		members[at].content = bytes.Clone(members[at].content)
		edit(&members[at])
		return pack(t, members)
	}
	added := func(m member) string {
		return pack(t, append(append(append([]member{}, whole[:1]...), m), whole[1:]...))
	}
	flip := func(m *member) { m.content[len(m.content)/2] ^= 1 }
	users := find(whole, "tables/users/")
	swapped := append([]member{}, whole...)
	swapped[users], swapped[users+1] = swapped[users+1], swapped[users]
	blob := 0
	for i, m := range whole {
		if strings.HasPrefix(m.Name, "blobs/") && !strings.HasSuffix(m.Name, ".jsonl") {
			blob = i
		}
	}
	changed := bytes.Clone(text)
	changed[len(changed)/2] ^= 1
	for name, c := range map[string]struct{ file, want string }{
		"empty":            {write(nil), "no archive of imprimatur"},
		"text":             {write([]byte("hello, this is a text")), "no archive of imprimatur"},
		"other zstd":       {write(zstdOf(t, bytes.Repeat([]byte("text"), 1000))), "no archive of imprimatur"},
		"other tar":        {pack(t, []member{{tar.Header{Typeflag: tar.TypeReg, Name: "README", Mode: 0o600}, []byte("x")}}), `no archive of imprimatur: it has the member "README"`},
		"empty tar":        {pack(t, nil), "no archive of imprimatur: it has no manifest.json"},
		"cut":              {write(text[:len(text)-10]), "the archive is cut off"},
		"cut in half":      {write(text[:len(text)/2]), "the archive is cut off"},
		"without manifest": {pack(t, whole[:len(whole)-1]), "the archive is cut off: it has no manifest.json"},
		"changed byte":     {write(changed), "the archive is damaged"},
		"trailing bytes":   {write(append(bytes.Clone(text), "more"...)), "the archive is damaged"},
		"newer format":     {pack(t, manifest(t, whole, func(m map[string]any) { m["format"] = 2; m["parts"] = "other" })), "a newer version"},
		"newer tables":     {pack(t, manifest(t, whole, func(m map[string]any) { m["schema"] = "0999_later" })), "a newer version"},
		"format 0":         {pack(t, manifest(t, whole, func(m map[string]any) { m["format"] = 0 })), "no archive of imprimatur"},
		"changed row":      {edited("tables/users/", flip), "the archive is damaged: the part tables/users/000001.jsonl was changed"},
		"changed list":     {edited("blobs/000001", func(m *member) { m.content[20] = 'f' }), "the archive is damaged"},
		"changed file":     {edited(whole[blob].Name, flip), "the archive is damaged: the bytes " + whole[blob].Name + " were changed"},
		"missing part":     {pack(t, append(append([]member{}, whole[:users]...), whole[users+1:]...)), "the archive is damaged: the part tables/users/000001.jsonl is missing"},
		"missing file":     {pack(t, append(append([]member{}, whole[:blob]...), whole[blob+1:]...)), "the archive is damaged"},
		"other order":      {pack(t, swapped), "the archive is damaged: the part tables/users/000001.jsonl is in the wrong place"},
		"part twice":       {pack(t, append(append(append([]member{}, whole[:users+1]...), whole[users]), whole[users+1:]...)), "the archive is damaged"},
		"climbing path":    {added(member{tar.Header{Typeflag: tar.TypeReg, Name: "../../evil", Mode: 0o600}, []byte("x")}), "no archive of imprimatur"},
		"absolute path":    {added(member{tar.Header{Typeflag: tar.TypeReg, Name: "/tmp/evil", Mode: 0o600}, []byte("x")}), "no archive of imprimatur"},
		"symbolic link":    {added(member{tar.Header{Typeflag: tar.TypeSymlink, Name: "tables/tenants/000009.jsonl", Linkname: "/etc/passwd", Mode: 0o600}, nil}), "no archive of imprimatur"},
		"unknown table":    {added(member{tar.Header{Typeflag: tar.TypeReg, Name: "tables/sessions/000001.jsonl", Mode: 0o600}, []byte("{}\n")}), "no archive of imprimatur"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "sqlite", source.key)
			fails(t, c.want, append(append([]string{"restore"}, p.settings()...), c.file)...)
			_, err := os.Stat(strings.TrimPrefix(p.database, "sqlite:"))
			require.ErrorIs(t, err, os.ErrNotExist, "a refused restore made a database")
			fails(t, c.want, "backup", "verify", c.file)
		})
	}
}

// forge returns an archive with a part that edit has changed, and the hash of the changed part.
func forge(t *testing.T, members []member, prefix string, edit func(content string) string) string {
	t.Helper()
	members = append([]member{}, members...)
	at := find(members, prefix)
	require.GreaterOrEqual(t, at, 0, prefix)
	changed := edit(string(members[at].content))
	require.NotEqual(t, string(members[at].content), changed)
	members[at].content = []byte(changed)
	sum := sha256.Sum256(members[at].content)
	return pack(t, manifest(t, members, func(m map[string]any) {
		for _, part := range m["parts"].([]any) {
			if part := part.(map[string]any); part["name"] == members[at].Name {
				maps.Copy(part, map[string]any{"size": len(changed), "sha256": hex.EncodeToString(sum[:])})
			}
		}
	}))
}

// TestForgedProofs gives verify archives whose hashes are right, but whose proofs are not.
func TestForgedProofs(t *testing.T) {
	t.Parallel()
	source, _ := demoPlace(t)
	whole := unpack(t, source.backup(t, "--blobs", "none"))
	other := strings.Repeat("0", 64)
	for name, c := range map[string]struct {
		part, pattern, replacement, want string
	}{
		"the hash of a publication":  {"tables/publications/", `"content_hash":"[0-9a-f]{64}"`, `"content_hash":"` + other + `"`, "contentHash is not the hash of content"},
		"the content of an item":     {"tables/request_items/", `"snapshot":"\{\\"collection\\":\\"`, `"snapshot":"{\"collection\":\"x`, "contentHash is not the hash of content"},
		"the time of a publication":  {"tables/publications/", `("published_at":1\d{11})(\d)(.*"request_id")`, `${1}0$3`, "publication.publishedAt is not the time of the last action"},
		"the comment of a decision":  {"tables/approval_actions/", `"comment":"`, `"comment":"not `, "hash"},
		"the request of publication": {"tables/publications/", `"request_id":\d+`, `"request_id":999999`, "request is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pattern := regexp.MustCompile(c.pattern)
			file := forge(t, whole, c.part, func(content string) string { return pattern.ReplaceAllString(content, c.replacement) })
			out, diagnostics, err := program.Run(t, "", "backup", "verify", file)
			require.Error(t, err)
			require.Contains(t, out, c.want, diagnostics)
			require.Contains(t, diagnostics, "in records of approvals and in publications")
		})
	}
}

// climbing is a name that leads out of the blob store.
const climbing = `{"name":"../../../evil"}`

// TestNamesOfFiles gives restore a list of files, with all its hashes, that leads out of the blob store.
func TestNamesOfFiles(t *testing.T) {
	t.Parallel()
	source, _ := demoPlace(t)
	members := unpack(t, source.backup(t))
	forged := forge(t, members, "blobs/000001", func(content string) string {
		_, rest, _ := strings.Cut(content, "\n")
		return climbing + "\n" + rest
	})
	p := newPlace(t, "sqlite", source.key)
	fails(t, `has the name "../../../evil"`, append(append([]string{"restore"}, p.settings()...), forged)...)
}

func zstdOf(t *testing.T, content []byte) []byte {
	t.Helper()
	compressor, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return compressor.EncodeAll(content, nil)
}

// TestNothingSecretInside looks for the secret key and for what must not outlive a backup.
func TestNothingSecretInside(t *testing.T) {
	t.Parallel()
	source, facts := demoPlace(t)
	s := source.serve(t)
	account := facts.Users["editor"]
	answer := s.call(t, "POST", "/api/session", `{"email":"`+account.Email+`","password":"`+account.Password+`"}`, "Origin", s.base)
	require.Equal(t, 200, answer.status, answer.body)
	s.Stop(t)
	key, err := os.ReadFile(strings.TrimPrefix(source.key, "@"))
	require.NoError(t, err)
	for _, m := range unpack(t, source.backup(t)) {
		require.Equal(t, int64(0o600), m.Mode, m.Name)
		require.NotContains(t, string(m.content), strings.TrimSpace(string(key)), m.Name)
		for _, table := range []string{"sessions", "spent", "links", "failed_sign_ins", "idempotency_keys", "entry_index", "entry_texts", "entry_counters"} {
			require.False(t, strings.HasPrefix(m.Name, "tables/"+table+"/"), m.Name)
		}
	}
}
