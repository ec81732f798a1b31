package media_test

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/blobstore"
	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/media"
	"imprimatur/core/rendition"
	"imprimatur/ports"
)

// fixture is a project with the use cases of its media.
type fixture struct {
	*media.Library
	sweeper   *media.Sweeper
	rebuilder *media.Rebuilder
	cleaner   *media.Cleaner
	stores    ports.Stores
	tx        ports.Tx
	blobs     ports.BlobStore
	imager    *imager
	clock     *clock
	events    *changes
	project   *core.Project
}

func setup(t *testing.T) *fixture {
	t.Helper()
	store := memory.New()
	blobs, err := blobstore.Open(t.Context(), "mem://")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, blobs.Close()) })
	d := &fixture{
		stores: store.Stores(), tx: store, blobs: blobs, imager: &imager{}, events: &changes{},
		clock: &clock{now: time.Now().UTC().Truncate(time.Millisecond)},
	}
	store.OnCommit(d.events.add)
	d.wire()
	require.NoError(t, d.stores.Tenants.Insert(t.Context(), &core.Tenant{Name: "Meridian", CreatedAt: d.clock.Now(), UpdatedAt: d.clock.Now()}))
	d.project = d.newProject(t, "0b8c4f5e-5d0e-4c63-9f5d-2f6a1f0f7a11")
	d.events.drain()
	return d
}

// wire creates the use cases again from the present members of d.
func (d *fixture) wire() {
	d.Library = media.NewLibrary(d.stores, d.tx, d.blobs, d.imager, d.clock)
	d.sweeper = media.NewSweeper(d.stores, d.tx, d.blobs, d.clock)
	d.rebuilder = media.NewRebuilder(d.stores, d.tx, d.blobs, d.imager, d.clock)
	d.cleaner = media.NewCleaner(d.stores, d.tx, d.blobs, d.imager, d.clock)
}

func (d *fixture) newProject(t *testing.T, uuid string) *core.Project {
	t.Helper()
	p := &core.Project{UUID: uuid, TenantID: 1, Name: "Desk", DefaultLocale: "en", Locales: []string{"en"}, UploadLimit: 1 << 20, CreatedAt: d.clock.Now(), UpdatedAt: d.clock.Now()}
	require.NoError(t, d.stores.Projects.Insert(t.Context(), p))
	return p
}

// upload receives and keeps a file.
func (d *fixture) upload(t *testing.T, name, content string) core.MediaItem {
	t.Helper()
	item, err := d.tryUpload(t.Context(), name, content)
	require.NoError(t, err)
	return item
}

func (d *fixture) tryUpload(ctx context.Context, name, content string) (core.MediaItem, error) {
	received, err := d.Receive(ctx, d.project, name, strings.NewReader(content))
	if err != nil {
		return core.MediaItem{}, err
	}
	defer received.Discard(ctx)
	return d.Keep(ctx, core.Actor{System: true}, d.project, received, media.Change{})
}

// names returns the sorted names in the blob store.
func (d *fixture) names(t *testing.T) []string {
	t.Helper()
	var names []string
	require.NoError(t, d.blobs.Walk(t.Context(), "", func(info ports.BlobInfo) error {
		names = append(names, info.Name)
		return nil
	}))
	slices.Sort(names)
	return names
}

// needed returns the sorted blob names of the items.
func (d *fixture) needed(items ...core.MediaItem) []string {
	var names []string
	for _, item := range items {
		names = append(names, item.Blobs()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// faults returns the messages of an error by location.
func faults(t *testing.T, err error, kind core.Kind) map[string]string {
	t.Helper()
	var fault *core.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, kind, fault.Kind, err)
	list := map[string]string{}
	for _, f := range fault.Fields {
		list[f.Location] = f.Message
	}
	return list
}

// imager is a fake that accepts PNGs and refuses those marked as broken.
type imager struct {
	mu   sync.Mutex
	mark string // part of each rendition
	fail error

	rendered int // calls of Render
}

func (*imager) Decodes(mimeType string) bool { return mimeType == "image/png" }

func (*imager) Measures(mimeType string) bool { return mimeType == "image/png" }

// Clean replaces "somewhere" by "nowhere" in the first bytes.
func (*imager) Clean(source io.Reader, _ string) io.Reader {
	head := make([]byte, 100)
	n, _ := io.ReadFull(source, head) // the source may be shorter
	return io.MultiReader(bytes.NewReader(bytes.ReplaceAll(head[:n], []byte("somewhere"), []byte("nowhere"))), source)
}

func (m *imager) Renditions(_ context.Context, source io.ReadSeeker, _ string) (ports.Renditions, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return ports.Renditions{}, m.fail
	}
	content, err := io.ReadAll(source)
	if err != nil {
		return ports.Renditions{}, err
	}
	if bytes.Contains(content, []byte("broken")) {
		return ports.Renditions{}, core.Invalid(core.FieldError{Location: "file", Message: "is a broken picture"})
	}
	made := func(name string, format rendition.Format) rendition.File {
		return rendition.File{Format: format, Bytes: []byte(name + m.mark + string(content))}
	}
	return ports.Renditions{
		Width: 40, Height: 30, Color: "#5a7d9b",
		Thumb: made("thumb", rendition.PNG), ThumbWebP: made("small", rendition.WebP), FullWebP: made("large", rendition.WebP),
	}, nil
}

// Render returns the key of the rendition and the content.
func (m *imager) Render(_ context.Context, source io.ReadSeeker, _ string, r rendition.Rendition) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rendered++
	if m.fail != nil {
		return nil, m.fail
	}
	content, err := io.ReadAll(source)
	return []byte(r.Key() + " of " + string(content)), err
}

// png returns content that the fake imager accepts.
func png(content string) string { return "\x89PNG\r\n\x1a\n" + content }

// clock is a manual clock.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// changes records the types of committed events.
type changes struct {
	mu   sync.Mutex
	list []event.Type
}

func (c *changes) add(events []event.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range events {
		c.list = append(c.list, e.Type)
	}
}

// drain returns the types since the previous call.
func (c *changes) drain() []event.Type {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.list
	c.list = nil
	return list
}
