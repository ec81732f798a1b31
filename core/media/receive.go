package media

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"golang.org/x/sync/semaphore"

	"imprimatur/core"
	"imprimatur/core/rendition"
	"imprimatur/ports"
)

// Received is an uploaded file. Library.Keep makes an item from it. The caller must finally call
// Discard.
type Received struct {
	blobs     ports.BlobStore
	memory    *semaphore.Weighted // bytes for all uploads
	held      int64               // bytes of memory that this one holds
	uploaded  string              // SHA-256 of the bytes as they were uploaded, hex
	item      core.MediaItem
	warnings  []string
	parts     []part
	temporary []string // names of blobs
}

// Pictures and their renditions stay in memory until Keep stores them. A picture over maxInMemory, and
// one for which memory is missing, is stored under a temporary name instead.
const (
	maxInMemory  = 16 << 20 // bytes of one picture
	uploadMemory = 64 << 20 // bytes of all uploads
)

// Receive uploads a file: it reads a picture into memory and streams another file to the blob store,
// detects the type and makes the fixed renditions. Pictures are stored without their location, unless the
// Project keeps it. A picture that is damaged after its beginning, or of a type that is not decoded, has
// no renditions; Warnings says so. It
// returns core.KindTooLarge as soon as source exceeds the Project's limit, core.KindUnsupportedMedia for
// a type that is not accepted, and core.ErrInvalid for a file that is empty, a picture without a size,
// one that is too large to decode, or one whose location cannot be removed. An error of source is
// returned unchanged. After an error it keeps no bytes.
func (l *Library) Receive(ctx context.Context, project *core.Project, fileName string, source io.Reader) (*Received, error) {
	in := &intake{source: source, limit: project.UploadLimit, hash: sha256.New()}
	head, fileType, err := in.begin(fileName)
	if err != nil {
		return nil, err
	}
	r := &Received{blobs: l.blobs, memory: l.memory, item: core.MediaItem{
		ProjectID: project.ID, FileName: storedName(fileName, fileType.Extension), MimeType: fileType.MIME, Kind: fileType.Kind,
	}}
	if err := l.receive(ctx, r, project, fileType, in, head); err != nil {
		r.Discard(ctx)
		return nil, err
	}
	return r, nil
}

func (l *Library) receive(ctx context.Context, r *Received, project *core.Project, fileType FileType, in *intake, head []byte) error {
	source := io.MultiReader(bytes.NewReader(head), in)
	decoded := l.imager.Measures(fileType.MIME)
	var cleaned *digest
	if decoded && !project.KeepLocation {
		cleaned = newDigest(l.imager.Clean(source, fileType.MIME))
		source = cleaned
	}
	original, err := r.take(ctx, source, decoded)
	if err != nil {
		return err
	}
	r.uploaded = hexSum(in.hash)
	r.item.Size, r.item.Hash = in.size, r.uploaded
	if cleaned != nil {
		cleaned.describe(&r.item)
	}
	r.item.Full = blobName(project.UUID, r.item.Hash, fileType.Extension)
	r.add(r.item.Full, original)
	if fileType.MIME == svgType {
		r.item.Width, r.item.Height = svgSize(head)
	}
	if !decoded {
		return nil
	}
	made, err := original.renditions(ctx, l.storage, l.imager, fileType.MIME)
	if err != nil {
		return expired(err)
	}
	if made.Warning != "" {
		r.warnings = append(r.warnings, made.Warning)
	}
	for _, file := range setRenditions(&r.item, project.UUID, made) {
		kept, err := r.hold(ctx, file.bytes)
		if err != nil {
			return err
		}
		r.add(file.name, kept)
	}
	return nil
}

// content are bytes in memory or, if name is not empty, in a temporary blob.
type content struct {
	bytes []byte
	name  string
}

// take reads source to its end: into memory if inMemory is true and the bytes fit, otherwise into a
// temporary blob.
func (r *Received) take(ctx context.Context, source io.Reader, inMemory bool) (content, error) {
	var head []byte
	for inMemory {
		if size := cap(head); len(head) == size {
			more := max(64<<10, size)
			if size+more > maxInMemory || !r.memory.TryAcquire(int64(more)) {
				break
			}
			r.held += int64(more)
			head = append(make([]byte, 0, size+more), head...)
		}
		n, err := source.Read(head[len(head):cap(head)])
		head = head[:len(head)+n]
		switch {
		case errors.Is(err, io.EOF):
			return content{bytes: head}, nil
		case err != nil:
			return content{}, err
		}
	}
	return r.store(ctx, io.MultiReader(bytes.NewReader(head), source))
}

// hold keeps b in memory if it fits, otherwise in a temporary blob.
func (r *Received) hold(ctx context.Context, b []byte) (content, error) {
	if !r.memory.TryAcquire(int64(len(b))) {
		return r.store(ctx, bytes.NewReader(b))
	}
	r.held += int64(len(b))
	return content{bytes: b}, nil
}

// renditions makes the fixed renditions of the picture.
func (c content) renditions(ctx context.Context, s storage, imager ports.Imager, mimeType string) (ports.Renditions, error) {
	if c.name != "" {
		return s.fixedRenditions(ctx, imager, c.name, mimeType)
	}
	return imager.Renditions(ctx, bytes.NewReader(c.bytes), mimeType)
}

// Hash returns the SHA-256 of the file as it was uploaded, in hex.
func (r *Received) Hash() string { return r.uploaded }

// Warnings returns what the uploader should know of a file that is accepted, such as that a picture has
// no renditions.
func (r *Received) Warnings() []string { return r.warnings }

// store stores the bytes of source under a temporary name.
func (r *Received) store(ctx context.Context, source io.Reader) (content, error) {
	name := ports.UploadPrefix + rand.Text()
	if err := r.blobs.Create(ctx, name, source); err != nil {
		return content{}, err
	}
	r.temporary = append(r.temporary, name)
	return content{name: name}, nil
}

// add adds a part that stores the content under its final name.
func (r *Received) add(name string, c content) {
	r.parts = append(r.parts, part{name: name, put: func(ctx context.Context) error {
		if c.name != "" {
			return expired(r.blobs.Copy(ctx, c.name, name))
		}
		return r.blobs.Create(ctx, name, bytes.NewReader(c.bytes))
	}})
}

// fixedRenditions makes the fixed renditions of a picture in the blob store.
func (s storage) fixedRenditions(ctx context.Context, imager ports.Imager, name, mimeType string) (ports.Renditions, error) {
	blob, err := s.blobs.Open(ctx, name)
	if err != nil {
		return ports.Renditions{}, err
	}
	made, err := imager.Renditions(ctx, blob, mimeType)
	return made, errors.Join(err, blob.Close())
}

// fixedRendition has the blob name and the bytes of a fixed rendition.
type fixedRendition struct {
	name  string
	bytes []byte
}

// setRenditions sets the size, the colour and the names of the fixed renditions of item, and returns
// these renditions.
func setRenditions(item *core.MediaItem, project string, made ports.Renditions) (fixed []fixedRendition) {
	item.Width, item.Height, item.Color = made.Width, made.Height, made.Color
	named := func(file rendition.File) string {
		if len(file.Bytes) == 0 {
			return ""
		}
		hash := sha256.Sum256(file.Bytes)
		name := blobName(project, hex.EncodeToString(hash[:]), file.Format.Extension())
		fixed = append(fixed, fixedRendition{name, file.Bytes})
		return name
	}
	item.Thumb, item.ThumbWebP, item.FullWebP = named(made.Thumb), named(made.ThumbWebP), named(made.FullWebP)
	return fixed
}

// Keep adds the received file to the Project's library, with the members of details. It returns
// core.ErrInvalid with all faults of details.
func (l *Library) Keep(ctx context.Context, actor core.Actor, project *core.Project, r *Received, details Change) (core.MediaItem, error) {
	item := r.item
	if err := describe(&item, details); err != nil {
		return core.MediaItem{}, err
	}
	// The bytes are stored before the transaction, which only checks that they exist.
	put, err := l.put(ctx, project.ID, r.parts)
	if err != nil {
		return core.MediaItem{}, err
	}
	item.CreatedAt = l.clock.Now()
	item.UpdatedAt = item.CreatedAt
	err = l.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := l.hold(ctx, stores.Blobs, project.ID, item.Blobs(), put); err != nil {
			return err
		}
		return stores.Media.Insert(ctx, &item)
	})
	if err != nil {
		return core.MediaItem{}, err
	}
	r.Discard(ctx)
	return item, nil
}

// discardTime is the timeout of Discard.
const discardTime = 10 * time.Second

// Discard frees the memory and deletes the temporary blobs; the sweep deletes those that Discard cannot. It may be
// called more than once, on nil and after Keep, and works when ctx has ended.
func (r *Received) Discard(ctx context.Context) {
	if r == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
	defer cancel()
	for _, name := range r.temporary {
		_ = r.blobs.Delete(ctx, name)
	}
	r.temporary = nil
	r.memory.Release(r.held)
	r.held = 0
}

// intake is a reader that counts and hashes the bytes of source, up to a limit.
type intake struct {
	source      io.Reader
	size, limit int64
	hash        hash.Hash
}

// Read returns core.KindTooLarge as soon as source exceeds the limit.
func (in *intake) Read(p []byte) (int, error) {
	n, err := in.source.Read(p)
	if in.size += int64(n); in.size > in.limit {
		return 0, &core.Error{
			Kind: core.KindTooLarge, Code: "too_large", Message: fmt.Sprintf("the file is over the project's limit of %d bytes", in.limit),
		}
	}
	_, _ = in.hash.Write(p[:n]) // a hash never returns an error
	return n, err
}

// begin reads the head of the file and detects its type; see typeOf. It reads a file of an
// unsupported type to its end, because the error of a file that is too large takes precedence.
func (in *intake) begin(fileName string) (head []byte, t FileType, err error) {
	head = make([]byte, Sniffed)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, t, err
	}
	if n == 0 {
		return nil, t, core.Invalid(core.FieldError{Location: "file", Message: "is empty"})
	}
	head = head[:n]
	t, unsupported := typeOf(fileName, head)
	if unsupported == nil {
		return head, t, nil
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return nil, t, err
	}
	return nil, t, unsupported
}
