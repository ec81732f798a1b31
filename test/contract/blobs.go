package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/ports"
)

// BlobStore checks a ports.BlobStore that open returns. It need not be empty: each case
// uses names of its own.
func BlobStore(t *testing.T, open func(t *testing.T) ports.BlobStore) {
	store := open(t)
	for name, test := range map[string]func(*testing.T, *testBlobs){
		"stores bytes":                                keepsBytes,
		"replaces a blob":                             replacesBytes,
		"shows a blob only when complete":             showsCompleteBlobs,
		"removes the partial blob of a broken source": leavesNothing,
		"stops when the context is cancelled":         stopsWriting,
		"copies":                                      copiesBytes,
		"reads from any offset":                       seeksBytes,
		"describes size and time":                     describesBytes,
		"deletes":                                     deletesBytes,
		"walks under a prefix":                        walksNames,
		"refuses invalid names":                       refusesNames,
		"allows concurrent writers of one name":       racesWriters,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, &testBlobs{BlobStore: store, prefix: uuid.NewString() + "/"})
		})
	}
}

// testBlobs is a store with a name prefix for one case.
type testBlobs struct {
	ports.BlobStore
	prefix string
}

func (b *testBlobs) put(t *testing.T, name string, content []byte) string {
	t.Helper()
	requireNoError(t, b.Create(t.Context(), b.prefix+name, bytes.NewReader(content)))
	return b.prefix + name
}

// content returns all bytes of a blob.
func (b *testBlobs) content(t *testing.T, name string) []byte {
	t.Helper()
	blob := result(b.Open(t.Context(), name))(t)
	content := result(io.ReadAll(blob))(t)
	requireNoError(t, blob.Close())
	return content
}

func (b *testBlobs) has(t *testing.T, name string, want bool) {
	t.Helper()
	if got := result(b.Exists(t.Context(), name))(t); got != want {
		t.Errorf("exists is %t, want %t", got, want)
	}
	err := error(nil)
	if blob, failed := b.Open(t.Context(), name); failed != nil {
		err = failed
	} else {
		requireNoError(t, blob.Close())
	}
	if want {
		requireNoError(t, err)
	} else {
		requireError(t, err, core.ErrNotFound)
	}
}

// noise returns n random bytes, the same for each n.
func noise(n int) []byte {
	b := make([]byte, n)
	source := rand.NewChaCha8([32]byte{byte(n)})
	_, _ = source.Read(b) // never fails
	return b
}

func keepsBytes(t *testing.T, b *testBlobs) {
	for _, size := range []int{0, 1, 511, 64 << 10, 11<<20 + 3} {
		content := noise(size)
		name := b.put(t, fmt.Sprintf("%d.bin", size), content)
		if got := b.content(t, name); !bytes.Equal(got, content) {
			t.Errorf("%d bytes were read back as %d different ones", size, len(got))
		}
		b.has(t, name, true)
	}
	name := b.put(t, "A-z_0.9/deeper/x.tar.gz", []byte("deep"))
	assertEqual(t, string(b.content(t, name)), "deep")
	requireNoError(t, b.Create(t.Context(), b.prefix+"slow", iotest.OneByteReader(strings.NewReader("slowly"))))
	assertEqual(t, string(b.content(t, b.prefix+"slow")), "slowly")
}

func replacesBytes(t *testing.T, b *testBlobs) {
	name := b.put(t, "a", []byte("a long one"))
	before := result(b.Open(t.Context(), name))(t)
	b.put(t, "a", []byte("short"))
	assertEqual(t, string(b.content(t, name)), "short")
	requireNoError(t, before.Close())
}

func showsCompleteBlobs(t *testing.T, b *testBlobs) {
	looked := false
	requireNoError(t, b.Create(t.Context(), b.prefix+"a", io.MultiReader(bytes.NewReader(noise(1<<20)), readerFunc(func([]byte) (int, error) {
		b.has(t, b.prefix+"a", false)
		looked = true
		return 0, io.EOF
	}))))
	b.has(t, b.prefix+"a", true)
	if !looked {
		t.Error("the source was not read to its end")
	}
}

func leavesNothing(t *testing.T, b *testBlobs) {
	failed := &core.Error{Kind: core.KindTooLarge, Code: "too_large", Message: "too much"}
	for _, size := range []int{0, 1 << 10, 6 << 20} {
		source := io.MultiReader(bytes.NewReader(noise(size)), iotest.ErrReader(failed))
		if err := b.Create(t.Context(), b.prefix+"a", source); !errors.Is(err, failed) || core.KindOf(err) != core.KindTooLarge {
			t.Errorf("after %d bytes: %v, want the error of the source", size, err)
		}
		b.has(t, b.prefix+"a", false)
	}
	name := b.put(t, "kept", []byte("before"))
	_ = b.Create(t.Context(), name, io.MultiReader(bytes.NewReader(noise(1<<10)), iotest.ErrReader(failed)))
	assertEqual(t, string(b.content(t, name)), "before")
	assertEqual(t, b.names(t, b.prefix), []string{name})
}

func stopsWriting(t *testing.T, b *testBlobs) {
	ctx, cancel := context.WithCancel(t.Context())
	err := b.Create(ctx, b.prefix+"a", io.MultiReader(bytes.NewReader(noise(1<<20)), readerFunc(func([]byte) (int, error) {
		cancel()
		return 0, io.EOF
	})))
	if err == nil {
		t.Error("Create succeeded although its context was cancelled")
	}
	b.has(t, b.prefix+"a", false)
	assertEqual(t, b.names(t, b.prefix), []string{})
}

func copiesBytes(t *testing.T, b *testBlobs) {
	content := noise(6 << 20)
	from, to := b.put(t, "from", content), b.prefix+"other/to"
	requireNoError(t, b.Copy(t.Context(), from, to))
	requireNoError(t, b.Copy(t.Context(), from, to))
	requireNoError(t, b.Delete(t.Context(), from))
	if !bytes.Equal(b.content(t, to), content) {
		t.Error("the copy differs")
	}
	b.put(t, "from", []byte("other"))
	if !bytes.Equal(b.content(t, to), content) {
		t.Error("a change of the source changed the copy")
	}
	requireNoError(t, b.Copy(t.Context(), from, to))
	assertEqual(t, string(b.content(t, to)), "other")
	b.put(t, "other/to", content)
	requireNoError(t, b.Delete(t.Context(), from))
	requireError(t, b.Copy(t.Context(), from, to), core.ErrNotFound)
	if !bytes.Equal(b.content(t, to), content) {
		t.Error("a failed copy replaced the target")
	}
}

func seeksBytes(t *testing.T, b *testBlobs) {
	content := noise(300_000)
	blob := result(b.Open(t.Context(), b.put(t, "a", content)))(t)
	assertEqual(t, result(blob.Seek(0, io.SeekEnd))(t), int64(len(content)))
	for _, from := range []int64{0, 299_999, 7, 150_000, 150_010, 0} {
		assertEqual(t, result(blob.Seek(from, io.SeekStart))(t), from)
		part := make([]byte, min(1000, len(content)-int(from)))
		_, err := io.ReadFull(blob, part)
		requireNoError(t, err)
		if !bytes.Equal(part, content[from:int(from)+len(part)]) {
			t.Errorf("wrong bytes at offset %d", from)
		}
	}
	result(blob.Seek(-5, io.SeekEnd))(t)
	assertEqual(t, result(io.ReadAll(blob))(t), content[len(content)-5:])
	requireNoError(t, blob.Close())
}

func describesBytes(t *testing.T, b *testBlobs) {
	name := b.put(t, "a", noise(1234))
	blob := result(b.Open(t.Context(), name))(t)
	assertEqual(t, blob.Size(), int64(1234))
	if blob.ModTime().IsZero() {
		t.Error("ModTime is zero")
	}
	requireNoError(t, blob.Close())
	requireNoError(t, b.Walk(t.Context(), name, func(info ports.BlobInfo) error {
		assertEqual(t, info.Size, int64(1234))
		if info.ModTime.IsZero() || info.Name != name {
			t.Errorf("Walk returned %+v", info)
		}
		return nil
	}))
}

func deletesBytes(t *testing.T, b *testBlobs) {
	name, other := b.put(t, "a", []byte("a")), b.put(t, "ab", []byte("b"))
	requireNoError(t, b.Delete(t.Context(), name))
	b.has(t, name, false)
	b.has(t, other, true)
	requireNoError(t, b.Delete(t.Context(), name))
	requireNoError(t, b.Delete(t.Context(), b.prefix+"never/there"))
}

// names returns the sorted names under a prefix.
func (b *testBlobs) names(t *testing.T, prefix string) []string {
	t.Helper()
	var names []string
	requireNoError(t, b.Walk(t.Context(), prefix, func(info ports.BlobInfo) error {
		names = append(names, info.Name)
		return nil
	}))
	slices.Sort(names)
	return names
}

func walksNames(t *testing.T, b *testBlobs) {
	assertEqual(t, b.names(t, b.prefix), []string{})
	var all []string
	for _, name := range []string{"a/1", "a/2/3", "ab/1", "b"} {
		all = append(all, b.put(t, name, []byte(name)))
	}
	assertEqual(t, b.names(t, b.prefix), all)
	assertEqual(t, b.names(t, b.prefix+"a/"), all[:2])
	assertEqual(t, b.names(t, b.prefix+"a"), all[:3])
	assertEqual(t, b.names(t, b.prefix+"c/"), []string{})
	enough := errors.New("enough")
	visits := 0
	err := b.Walk(t.Context(), b.prefix, func(ports.BlobInfo) error {
		visits++
		return enough
	})
	if !errors.Is(err, enough) || visits != 1 {
		t.Errorf("after %d visits: %v", visits, err)
	}
	// Blobs may be deleted during a walk.
	requireNoError(t, b.Walk(t.Context(), b.prefix, func(info ports.BlobInfo) error { return b.Delete(t.Context(), info.Name) }))
	assertEqual(t, b.names(t, b.prefix), []string{})
	whole := b.names(t, "")
	if !slices.IsSorted(whole) || slices.Contains(whole, "") {
		t.Errorf("all names: %v", whole)
	}
}

func refusesNames(t *testing.T, b *testBlobs) {
	b.put(t, "a/b.jpg", []byte("a"))
	for _, name := range []string{
		"", "/", ".", "..", b.prefix, b.prefix + "a", b.prefix + "a/", b.prefix + "a//b.jpg", "/" + b.prefix + "a/b.jpg",
		b.prefix + "a/../a/b.jpg", b.prefix + "./a/b.jpg", "../" + b.prefix + "a/b.jpg", b.prefix + `a\b.jpg`, b.prefix + "a/b.jpg/c",
		b.prefix + "a/b.jpg\x00", b.prefix + "a/ö.jpg", b.prefix + "a/b.jpg.attrs", b.prefix + "A/B.JPG?", b.prefix + strings.Repeat("x", 5000),
	} {
		if there, err := b.Exists(t.Context(), name); there || err != nil {
			t.Errorf("%q exists: %t, %v", name, there, err)
		}
		if blob, err := b.Open(t.Context(), name); !errors.Is(err, core.ErrNotFound) {
			t.Errorf("%q: opened %v, %v", name, blob, err)
		}
		if err := b.Delete(t.Context(), name); err != nil {
			t.Errorf("%q: deleting: %v", name, err)
		}
	}
	for _, name := range []string{"", "../escaped", b.prefix + "../escaped", "/etc/escaped", b.prefix + "a b"} {
		if err := b.Create(t.Context(), name, strings.NewReader("x")); err == nil {
			t.Errorf("%q was written", name)
		}
		if err := b.Copy(t.Context(), b.prefix+"a/b.jpg", name); err == nil {
			t.Errorf("%q was copied to", name)
		}
	}
	assertEqual(t, b.names(t, b.prefix), []string{b.prefix + "a/b.jpg"})
}

func racesWriters(t *testing.T, b *testBlobs) {
	content := noise(200_000)
	won := race(8, func(int) error { return b.Create(t.Context(), b.prefix+"a", bytes.NewReader(content)) })
	if len(won.failures) > 0 {
		t.Fatal(won.failures)
	}
	if !bytes.Equal(b.content(t, b.prefix+"a"), content) {
		t.Error("concurrent writers mixed their bytes")
	}
	assertEqual(t, b.names(t, b.prefix), []string{b.prefix + "a"})
}

// readerFunc implements io.Reader.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
