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

// BlobStore checks a ports.BlobStore that open returns, empty or not. Each case has
// names of its own.
func BlobStore(t *testing.T, open func(t *testing.T) ports.BlobStore) {
	store := open(t)
	for name, test := range map[string]func(*testing.T, *bin){
		"keeps bytes":                         keepsBytes,
		"replaces what was there":             replacesBytes,
		"shows nothing before it is whole":    showsWholes,
		"leaves nothing of a broken source":   leavesNothing,
		"stops when the context ends":         stopsWriting,
		"copies":                              copiesBytes,
		"reads from any place":                seeksBytes,
		"describes size and time":             describesBytes,
		"deletes":                             deletesBytes,
		"walks under a prefix":                walksNames,
		"finds nothing under what is no name": refusesNames,
		"takes writers of the same name":      racesWriters,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, &bin{BlobStore: store, prefix: uuid.NewString() + "/"})
		})
	}
}

// bin is a place for the names of one case.
type bin struct {
	ports.BlobStore
	prefix string
}

func (b *bin) put(t *testing.T, name string, content []byte) string {
	t.Helper()
	succeed(t, b.Create(t.Context(), b.prefix+name, bytes.NewReader(content)))
	return b.prefix + name
}

// content returns all the bytes of a name.
func (b *bin) content(t *testing.T, name string) []byte {
	t.Helper()
	blob := value(b.Open(t.Context(), name))(t)
	content := value(io.ReadAll(blob))(t)
	succeed(t, blob.Close())
	return content
}

func (b *bin) has(t *testing.T, name string, want bool) {
	t.Helper()
	if got := value(b.Exists(t.Context(), name))(t); got != want {
		t.Errorf("exists is %t, want %t", got, want)
	}
	err := error(nil)
	if blob, failed := b.Open(t.Context(), name); failed != nil {
		err = failed
	} else {
		succeed(t, blob.Close())
	}
	if want {
		succeed(t, err)
	} else {
		refused(t, err, core.ErrNotFound)
	}
}

// noise returns n bytes that look like no text.
func noise(n int) []byte {
	b := make([]byte, n)
	source := rand.NewChaCha8([32]byte{byte(n)})
	_, _ = source.Read(b) // never fails
	return b
}

func keepsBytes(t *testing.T, b *bin) {
	for _, size := range []int{0, 1, 511, 64 << 10, 11<<20 + 3} {
		content := noise(size)
		name := b.put(t, fmt.Sprintf("%d.bin", size), content)
		if got := b.content(t, name); !bytes.Equal(got, content) {
			t.Errorf("%d bytes came back as %d others", size, len(got))
		}
		b.has(t, name, true)
	}
	name := b.put(t, "A-z_0.9/deeper/x.tar.gz", []byte("deep"))
	same(t, string(b.content(t, name)), "deep")
	succeed(t, b.Create(t.Context(), b.prefix+"slow", iotest.OneByteReader(strings.NewReader("slowly"))))
	same(t, string(b.content(t, b.prefix+"slow")), "slowly")
}

func replacesBytes(t *testing.T, b *bin) {
	name := b.put(t, "a", []byte("a long one"))
	before := value(b.Open(t.Context(), name))(t)
	b.put(t, "a", []byte("short"))
	same(t, string(b.content(t, name)), "short")
	succeed(t, before.Close())
}

func showsWholes(t *testing.T, b *bin) {
	looked := false
	succeed(t, b.Create(t.Context(), b.prefix+"a", io.MultiReader(bytes.NewReader(noise(1<<20)), readerFunc(func([]byte) (int, error) {
		b.has(t, b.prefix+"a", false)
		looked = true
		return 0, io.EOF
	}))))
	b.has(t, b.prefix+"a", true)
	if !looked {
		t.Error("the source was not read to its end")
	}
}

func leavesNothing(t *testing.T, b *bin) {
	failed := &core.Error{Kind: core.KindTooLarge, Code: "too_large", Message: "too much"}
	for _, size := range []int{0, 1 << 10, 6 << 20} {
		source := io.MultiReader(bytes.NewReader(noise(size)), iotest.ErrReader(failed))
		if err := b.Create(t.Context(), b.prefix+"a", source); !errors.Is(err, failed) || core.KindOf(err) != core.KindTooLarge {
			t.Errorf("after %d bytes: %v, want what the source said", size, err)
		}
		b.has(t, b.prefix+"a", false)
	}
	name := b.put(t, "kept", []byte("before"))
	_ = b.Create(t.Context(), name, io.MultiReader(bytes.NewReader(noise(1<<10)), iotest.ErrReader(failed)))
	same(t, string(b.content(t, name)), "before")
	same(t, b.names(t, b.prefix), []string{name})
}

func stopsWriting(t *testing.T, b *bin) {
	ctx, cancel := context.WithCancel(t.Context())
	err := b.Create(ctx, b.prefix+"a", io.MultiReader(bytes.NewReader(noise(1<<20)), readerFunc(func([]byte) (int, error) {
		cancel()
		return 0, io.EOF
	})))
	if err == nil {
		t.Error("wrote to the end though its context had ended")
	}
	b.has(t, b.prefix+"a", false)
	same(t, b.names(t, b.prefix), []string{})
}

func copiesBytes(t *testing.T, b *bin) {
	content := noise(6 << 20)
	from, to := b.put(t, "from", content), b.prefix+"other/to"
	succeed(t, b.Copy(t.Context(), from, to))
	succeed(t, b.Copy(t.Context(), from, to))
	succeed(t, b.Delete(t.Context(), from))
	if !bytes.Equal(b.content(t, to), content) {
		t.Error("the copy is another")
	}
	refused(t, b.Copy(t.Context(), from, to), core.ErrNotFound)
	if !bytes.Equal(b.content(t, to), content) {
		t.Error("a copy of nothing took the place of something")
	}
}

func seeksBytes(t *testing.T, b *bin) {
	content := noise(300_000)
	blob := value(b.Open(t.Context(), b.put(t, "a", content)))(t)
	same(t, value(blob.Seek(0, io.SeekEnd))(t), int64(len(content)))
	for _, from := range []int64{0, 299_999, 7, 150_000, 150_010, 0} {
		same(t, value(blob.Seek(from, io.SeekStart))(t), from)
		part := make([]byte, min(1000, len(content)-int(from)))
		_, err := io.ReadFull(blob, part)
		succeed(t, err)
		if !bytes.Equal(part, content[from:int(from)+len(part)]) {
			t.Errorf("other bytes from %d", from)
		}
	}
	value(blob.Seek(-5, io.SeekEnd))(t)
	same(t, value(io.ReadAll(blob))(t), content[len(content)-5:])
	succeed(t, blob.Close())
}

func describesBytes(t *testing.T, b *bin) {
	name := b.put(t, "a", noise(1234))
	blob := value(b.Open(t.Context(), name))(t)
	same(t, blob.Size(), int64(1234))
	if blob.ModTime().IsZero() {
		t.Error("no time")
	}
	succeed(t, blob.Close())
	succeed(t, b.Walk(t.Context(), name, func(info ports.BlobInfo) error {
		same(t, info.Size, int64(1234))
		if info.ModTime.IsZero() || info.Name != name {
			t.Errorf("walked over %+v", info)
		}
		return nil
	}))
}

func deletesBytes(t *testing.T, b *bin) {
	name, other := b.put(t, "a", []byte("a")), b.put(t, "ab", []byte("b"))
	succeed(t, b.Delete(t.Context(), name))
	b.has(t, name, false)
	b.has(t, other, true)
	succeed(t, b.Delete(t.Context(), name))
	succeed(t, b.Delete(t.Context(), b.prefix+"never/there"))
}

// names returns the sorted names under a prefix.
func (b *bin) names(t *testing.T, prefix string) []string {
	t.Helper()
	var names []string
	succeed(t, b.Walk(t.Context(), prefix, func(info ports.BlobInfo) error {
		names = append(names, info.Name)
		return nil
	}))
	slices.Sort(names)
	return names
}

func walksNames(t *testing.T, b *bin) {
	same(t, b.names(t, b.prefix), []string{})
	var all []string
	for _, name := range []string{"a/1", "a/2/3", "ab/1", "b"} {
		all = append(all, b.put(t, name, []byte(name)))
	}
	same(t, b.names(t, b.prefix), all)
	same(t, b.names(t, b.prefix+"a/"), all[:2])
	same(t, b.names(t, b.prefix+"a"), all[:3])
	same(t, b.names(t, b.prefix+"c/"), []string{})
	enough := errors.New("enough")
	visits := 0
	err := b.Walk(t.Context(), b.prefix, func(ports.BlobInfo) error {
		visits++
		return enough
	})
	if !errors.Is(err, enough) || visits != 1 {
		t.Errorf("after %d visits: %v", visits, err)
	}
	// What is walked over may go meanwhile.
	succeed(t, b.Walk(t.Context(), b.prefix, func(info ports.BlobInfo) error { return b.Delete(t.Context(), info.Name) }))
	same(t, b.names(t, b.prefix), []string{})
	whole := b.names(t, "")
	if !slices.IsSorted(whole) || slices.Contains(whole, "") {
		t.Errorf("all names: %v", whole)
	}
}

func refusesNames(t *testing.T, b *bin) {
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
	same(t, b.names(t, b.prefix), []string{b.prefix + "a/b.jpg"})
}

func racesWriters(t *testing.T, b *bin) {
	content := noise(200_000)
	won := race(8, func(int) error { return b.Create(t.Context(), b.prefix+"a", bytes.NewReader(content)) })
	if len(won.failures) > 0 {
		t.Fatal(won.failures)
	}
	if !bytes.Equal(b.content(t, b.prefix+"a"), content) {
		t.Error("writers of the same mixed their bytes")
	}
	same(t, b.names(t, b.prefix), []string{b.prefix + "a"})
}

// readerFunc is a reader that is a function.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
