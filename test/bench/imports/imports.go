// Package imports measures the import of a whole site from an export of WordPress: time and memory.
package imports

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/test/bench/load"
	"imprimatur/test/bench/profiled"
	"imprimatur/test/postgrestest"
)

// lookEvery is how often the memory of the program is read.
const lookEvery = 50 * time.Millisecond

type options struct {
	posts, pictures int
	engines         string
}

// Bench registers the flags of the benchmark and returns the function that runs it.
func Bench(flags *flag.FlagSet) func(context.Context) error {
	var o options
	flags.IntVar(&o.posts, "posts", 10_000, "how many posts of about 3 kB the site has")
	flags.IntVar(&o.pictures, "pictures", 2000, "how many pictures of about 100 kB the site has, in files")
	flags.StringVar(&o.engines, "engines", "sqlite,postgres", "databases to measure")
	return func(ctx context.Context) error { return run(ctx, os.Stdout, o) }
}

func run(ctx context.Context, w io.Writer, o options) error {
	folder, err := os.MkdirTemp("", "imprimatur-imports-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // temporary
	if err := Write(folder, o.posts, o.pictures); err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tseconds\tprocessor s\tpeak memory MB\tentries\tfiles\t")
	for engine := range strings.SplitSeq(o.engines, ",") {
		if err := measure(ctx, table, folder, engine); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return table.Flush()
}

// measure imports the site twice: the second run changes nothing.
func measure(ctx context.Context, table io.Writer, folder, engine string) error {
	data, err := os.MkdirTemp(folder, engine)
	if err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(data, "blobs"), 0o700); err != nil {
		return err
	}
	database := "sqlite:" + filepath.Join(data, "imprimatur.db")
	if engine == "postgres" {
		if database, err = postgrestest.Database(ctx); err != nil {
			return err
		}
	}
	blobs := "file:" + filepath.Join(data, "blobs")
	uuid, err := project(ctx, database, blobs)
	if err != nil {
		return err
	}
	report := filepath.Join(data, "report")
	args := []string{
		"import", "wordpress", "--project", uuid, "--media", filepath.Join(folder, "uploads"), "--published", "--report", report,
		"--database-url", database, "--blob-url", blobs, "--log-level", "error", filepath.Join(folder, "export.xml"),
	}
	for _, name := range []string{"first run", "second run"} {
		took, busy, peak, err := command(ctx, args)
		if err != nil {
			return err
		}
		var counts struct {
			Kinds map[string]struct{ Out int64 } `json:"kinds"`
			Files struct{ Out int64 }            `json:"files"`
		}
		text, err := os.ReadFile(report + ".json")
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &counts); err != nil {
			return err
		}
		var entries int64
		for _, kind := range counts.Kinds {
			entries += kind.Out
		}
		fmt.Fprintf(table, "%s, %s\t%.1f\t%.1f\t%.1f\t%d\t%d\t\n", name, engine, took.Seconds(), busy.Seconds(), float64(peak)/1e6, entries, counts.Files.Out)
	}
	return nil
}

// project creates a project and returns its UUID.
func project(ctx context.Context, database, blobs string) (string, error) {
	cfg := config.Default()
	cfg.DatabaseURL, cfg.BlobURL, cfg.LogLevel = database, blobs, "error"
	var organisation *access.Organisation
	stop, err := service.Use(ctx, cfg, &organisation)
	if err != nil {
		return "", err
	}
	defer stop()
	tenant, err := organisation.CreateTenant(ctx, core.SystemActor, "Bench")
	if err != nil {
		return "", err
	}
	created, err := organisation.CreateProject(ctx, core.SystemActor, tenant.ID, access.ProjectInput{Name: "Bench", Locales: []string{"en"}})
	if err != nil {
		return "", err
	}
	return created.UUID, nil
}

// command runs the program, and returns its time, its processor time and its largest resident memory in bytes.
func command(ctx context.Context, args []string) (took, busy time.Duration, peak int64, err error) {
	program, err := os.Executable()
	if err != nil {
		return 0, 0, 0, err
	}
	process := exec.CommandContext(ctx, program, append([]string{profiled.Command, ""}, args...)...)
	var said strings.Builder
	process.Stderr = &said
	began := time.Now()
	if err := process.Start(); err != nil {
		return 0, 0, 0, err
	}
	looking, stop := context.WithCancel(ctx)
	seen := make(chan int64)
	go func() {
		most := int64(0)
		for ticks := time.NewTicker(lookEvery); ; {
			select {
			case <-looking.Done():
				ticks.Stop()
				seen <- most
				return
			case <-ticks.C:
				_, now := load.Memory(process.Process.Pid)
				most = max(most, now)
			}
		}
	}()
	err = process.Wait()
	took = time.Since(began)
	stop()
	peak = <-seen
	if err != nil {
		return took, 0, peak, fmt.Errorf("%w: %s", err, said.String())
	}
	return took, process.ProcessState.UserTime() + process.ProcessState.SystemTime(), peak, nil
}

// site is an export that is made by chance.
type site struct {
	posts, pictures int
	random          *rand.Rand
}

// Write writes an export of WordPress to export.xml in a folder: published posts that link to each other, and pictures,
// whose bytes are in the folder uploads. The content is the same each time.
func Write(folder string, posts, pictures int) error {
	s := site{posts, pictures, rand.New(rand.NewPCG(1, 2))} //nolint:gosec // no secret
	return s.write(folder)
}

var vocabulary = strings.Fields("harbour fog pilot crane tide rope anchor Größe été 灯台 quay &amp; light &#8212; north swell ship mast buoy channel")

func (s *site) words(n int) string {
	var out []string
	for range n {
		out = append(out, vocabulary[s.random.IntN(len(vocabulary))])
	}
	return strings.Join(out, " ")
}

func picture(n int) string { return fmt.Sprintf("2020/%02d/picture-%d.jpg", 1+n%12, n) }

func link(n int) string { return fmt.Sprintf("https://blog.example/2020/post-%d/", n) }

// write writes the export and the folder uploads.
func (s *site) write(folder string) error {
	for n := range s.pictures {
		if err := s.draw(filepath.Join(folder, "uploads", picture(n))); err != nil {
			return err
		}
	}
	file, err := os.Create(filepath.Join(folder, "export.xml"))
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	fmt.Fprint(out, `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" `+
		`xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:base_blog_url>https://blog.example</wp:base_blog_url>`+"\n")
	for n := range s.posts {
		s.post(out, n)
	}
	for n := range s.pictures {
		fmt.Fprintf(out, "<item><title>%d</title><wp:post_id>%d</wp:post_id><wp:post_type>attachment</wp:post_type><wp:status>inherit</wp:status>"+
			"<wp:attachment_url>https://blog.example/wp-content/uploads/%s</wp:attachment_url></item>\n", n, 1_000_000+n, picture(n))
	}
	fmt.Fprint(out, "</channel></rss>\n")
	if err := out.Flush(); err != nil {
		return err
	}
	return file.Close()
}

// post writes a post with two links and, if the site has any, a picture.
func (s *site) post(out io.Writer, n int) {
	fmt.Fprintf(out, "<item><title>%s</title><link>%s</link><wp:post_id>%d</wp:post_id><wp:post_date_gmt>2020-01-02 03:04:05</wp:post_date_gmt>"+
		"<wp:post_name>post-%d</wp:post_name><wp:status>publish</wp:status><wp:post_type>post</wp:post_type>"+
		`<category domain="category" nicename="cat-%d"><![CDATA[Category]]></category><content:encoded><![CDATA[`, s.words(4), link(n), 1+n, n, n%20)
	for range 8 {
		fmt.Fprintf(out, "<!-- wp:paragraph -->\n<p>%s</p>\n<!-- /wp:paragraph -->\n\n", s.words(50))
	}
	for range 2 {
		to := s.random.IntN(s.posts)
		fmt.Fprintf(out, "<!-- wp:paragraph -->\n<p>%s <a href=\"%s\">%s</a></p>\n<!-- /wp:paragraph -->\n\n", s.words(5), link(to), s.words(2))
	}
	if s.pictures > 0 {
		shown := n % s.pictures
		fmt.Fprintf(out, "<!-- wp:image {\"id\":%d} -->\n<figure><img src=\"https://blog.example/wp-content/uploads/%s\" alt=\"\" class=\"wp-image-%d\"/></figure>\n<!-- /wp:image -->\n",
			1_000_000+shown, picture(shown), 1_000_000+shown)
	}
	fmt.Fprint(out, "]]></content:encoded></item>\n")
}

// draw writes a picture of noise.
func (s *site) draw(name string) error {
	drawn := image.NewRGBA(image.Rect(0, 0, 400, 300))
	for i := range 400 * 300 {
		noise := s.random.Uint32()
		drawn.Set(i%400, i/400, color.RGBA{R: uint8(noise), G: uint8(noise >> 8), B: uint8(noise >> 16), A: 255}) //nolint:gosec // bytes
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := jpeg.Encode(file, drawn, &jpeg.Options{Quality: 80}); err != nil {
		return err
	}
	return file.Close()
}
