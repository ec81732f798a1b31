package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// magic begins a zstd file.
var magic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// The limits of what is read.
const (
	maxWindow   = 64 << 20 // of the compression, in bytes
	maxParts    = 200_000
	maxTrailing = 1 << 20 // bytes after the last member
)

// visitor is called with the members of an archive.
type visitor struct {
	// part gets a part, list or manifest with its content.
	part func(name string, content []byte) error
	// blob gets the bytes of a blob. It need not read them.
	blob func(hash string, bytes io.Reader) error
	// other gets the name of any other member.
	other func(name string) error
}

// walk reads the members of the file at path, in their order.
func walk(ctx context.Context, path string, v visitor) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	begins := make([]byte, len(magic))
	if _, err := io.ReadFull(file, begins); err != nil || !bytes.Equal(begins, magic) {
		return foreign("it is not compressed with zstd")
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	expanded, err := zstd.NewReader(file, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(2))
	if err != nil {
		return err
	}
	defer expanded.Close()
	members := tar.NewReader(expanded)
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return err
		}
		header, err := members.Next()
		switch {
		case errors.Is(err, io.EOF):
			return end(expanded)
		case first && errors.Is(err, tar.ErrHeader):
			return foreign("it is not a tar file")
		case err != nil:
			return broken(err)
		}
		if err := visit(header, members, v); err != nil {
			return err
		}
	}
}

// visit calls v with a member.
func visit(header *tar.Header, content io.Reader, v visitor) error {
	name := header.Name
	if header.Typeflag != tar.TypeReg {
		return v.other(name)
	}
	if found := blobBytes.FindStringSubmatch(name); found != nil {
		return v.blob(found[1], reader{content})
	}
	if name != manifestName && !tablePart.MatchString(name) && !blobList.MatchString(name) || header.Size > maxPart {
		return v.other(name)
	}
	text, err := io.ReadAll(reader{content})
	if err != nil {
		return err
	}
	return v.part(name, text)
}

// reader gives its errors the words of broken.
type reader struct{ io.Reader }

func (r reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = broken(err)
	}
	return n, err
}

// broken explains an error of the compression or of the tar file.
func broken(err error) error {
	var file *os.PathError
	switch {
	case errors.As(err, &file):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return refused("cut_archive", "the archive is cut off: its end is missing")
	default:
		return damaged("%v", err)
	}
}

// end reads what follows the last member, which is padding. So the checksum of the file is checked.
func end(expanded io.Reader) error {
	padding, err := io.ReadAll(io.LimitReader(expanded, maxTrailing+1))
	switch {
	case err != nil:
		return broken(err)
	case len(padding) > maxTrailing || len(bytes.Trim(padding, "\x00")) > 0:
		return damaged("something follows its last part")
	}
	return nil
}

// Archive is a file that was checked.
type Archive struct {
	Manifest

	path  string
	parts map[string]Part
	known map[string]bool // the hashes in the lists; nil unless they were asked for
}

// names reports whether the archive names a blob with that hash.
func (a *Archive) names(hash string) bool { return a.known[hash] }

// OpenOptions tune Open.
type OpenOptions struct {
	Tables []string // ports.ArchiveTables
	Schema string   // the last migration of the program
	// Names keeps the hashes of the blobs, for SinceBlobs.
	Names bool
	// Progress, unless nil, is called with the number of rows so far.
	Progress func(rows int64)
}

// Open reads the archive in the file at path whole, and checks it. The error says what is wrong with
// the file: it is of another program, of a newer version, cut off or changed.
func Open(ctx context.Context, path string, opts OpenOptions) (*Archive, error) {
	c := &checker{opts: opts, archive: &Archive{path: path, parts: map[string]Part{}}, counts: map[string]int64{}}
	if opts.Names {
		c.archive.known = map[string]bool{}
	}
	err := walk(ctx, path, visitor{
		part:  c.part,
		blob:  c.blob,
		other: func(name string) error { return c.fail(foreign(fmt.Sprintf("it has the member %q", name))) },
	})
	if err != nil {
		return nil, err
	}
	return c.done()
}

// checker checks the members of an archive against each other and, at last, the manifest. After the
// first fault it only looks for the manifest, because one of a newer format explains all faults.
type checker struct {
	opts    OpenOptions
	archive *Archive
	fault   error

	parts    []Part
	rows     int64
	counts   map[string]int64
	blobs    Blobs
	manifest []byte
	table    int             // index of the last table
	last     string          // the last part
	listed   map[string]bool // hashes of the last list; true if its bytes came
}

// fail remembers the first fault.
func (c *checker) fail(err error) error {
	if c.fault == nil {
		c.fault = err
	}
	return nil
}

func (c *checker) part(name string, content []byte) error {
	if c.manifest != nil {
		return c.fail(damaged("%s follows its manifest", name))
	}
	if name == manifestName {
		c.manifest = content
		return nil
	}
	if c.fault != nil {
		return nil //nolint:nilerr // the first fault is told at the end
	}
	sum := sha256.Sum256(content)
	p := Part{name, int64(len(content)), int64(bytes.Count(content, []byte{'\n'})), hex.EncodeToString(sum[:])}
	c.parts = append(c.parts, p)
	c.archive.parts[name] = p
	if len(c.parts) > maxParts || len(c.archive.parts) != len(c.parts) {
		return c.fail(damaged("it has the part %s twice, or too many parts", name))
	}
	if table := tablePart.FindStringSubmatch(name); table != nil {
		return c.rowsOf(table[1], p)
	}
	return c.list(p, content)
}

// rowsOf checks that the tables come in the order in which they are restored.
func (c *checker) rowsOf(table string, p Part) error {
	at := slices.Index(c.opts.Tables, table)
	if at < 0 {
		return c.fail(foreign(fmt.Sprintf("it has the table %q", table)))
	}
	if at < c.table || at == c.table && p.Name <= c.last || c.listed != nil {
		return c.fail(damaged("the part %s is in the wrong place", p.Name))
	}
	c.table, c.last = at, p.Name
	c.counts[table] += p.Lines
	if c.rows += p.Lines; c.opts.Progress != nil {
		c.opts.Progress(c.rows)
	}
	return nil
}

func (c *checker) list(p Part, content []byte) error {
	c.listed = map[string]bool{}
	err := eachName(p.Name, content, func(_, hash string) error {
		c.listed[hash] = false
		if c.archive.known != nil {
			c.archive.known[hash] = true
		}
		c.blobs.Named++
		return nil
	})
	if err != nil {
		return c.fail(err)
	}
	return nil
}

// eachName calls each with the names in a list.
func eachName(part string, content []byte, each func(name, hash string) error) error {
	for line := range bytes.Lines(content) {
		var n named
		if err := json.Unmarshal(line, &n); err != nil {
			return damaged("the part %s has a line without a name", part)
		}
		hash, ok := hashOf(n.Name)
		if !ok {
			return foreign(fmt.Sprintf("the part %s has the name %q", part, n.Name))
		}
		if err := each(n.Name, hash); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) blob(hash string, content io.Reader) error {
	if c.fault != nil {
		return nil //nolint:nilerr // the first fault is told at the end
	}
	if stored, listed := c.listed[hash]; !listed || stored || c.manifest != nil {
		return c.fail(damaged("the bytes blobs/%s are in the wrong place", hash))
	}
	sum := sha256.New()
	n, err := io.Copy(sum, content)
	if err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != hash {
		return c.fail(damaged("the bytes blobs/%s were changed", hash))
	}
	c.listed[hash] = true
	c.blobs.Stored++
	c.blobs.Bytes += n
	return nil
}

// done compares everything with the manifest.
func (c *checker) done() (*Archive, error) {
	m := &c.archive.Manifest
	switch err := json.Unmarshal(c.manifest, m); {
	case c.manifest == nil && c.fault != nil:
		return nil, c.fault
	case c.manifest == nil && len(c.parts) == 0:
		return nil, foreign("it has no " + manifestName)
	case c.manifest == nil:
		return nil, refused("cut_archive", "the archive is cut off: it has no %s", manifestName)
	case m.Format > Format: // also if its other members have other types
		return nil, m.check(c.opts.Schema)
	case err != nil:
		return nil, foreign("its " + manifestName + " is not that of an archive")
	}
	if err := m.check(c.opts.Schema); err != nil {
		return nil, err
	}
	if c.fault != nil {
		return nil, c.fault
	}
	return c.archive, c.compare(m)
}

// compare checks that the manifest lists what was read.
func (c *checker) compare(m *Manifest) error {
	for _, p := range m.Parts {
		switch read, there := c.archive.parts[p.Name]; {
		case !there:
			return damaged("the part %s is missing", p.Name)
		case read != p:
			return damaged("the part %s was changed", p.Name)
		}
	}
	if !slices.Equal(m.Parts, c.parts) {
		return damaged("it has parts that its manifest does not list")
	}
	for table, rows := range m.Counts {
		if c.counts[table] != rows {
			return damaged("the table %s has %d rows instead of %d", table, c.counts[table], rows)
		}
	}
	c.blobs.Selection, c.blobs.Missing = m.Blobs.Selection, m.Blobs.Missing
	if c.blobs != m.Blobs {
		return damaged("it has other files than its manifest says")
	}
	return nil
}
