package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/definition"
	"imprimatur/ports"
	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

// TestRefusedLinesLeaveNothingBehind imports a file with faults, in runs that are killed and a last
// one that is not, and compares the result with an import of the lines that were not refused.
func TestRefusedLinesLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]func(*testing.T) string{
		"SQLite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "imprimatur.db") },
		"Postgres": func(t *testing.T) string { return postgrestest.Migrated(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			databaseURL := database(t)
			killed, whole := newPeople(t, databaseURL), newPeople(t, databaseURL)
			all := clusters(rand.New(rand.NewPCG(1, 2)), 120)
			file := filepath.Join(t.TempDir(), "people.jsonl")
			ok(t, os.WriteFile(file, []byte(strings.Join(all, "\n")), 0o600))

			for range 5 {
				run := importOf(databaseURL, killed, file)
				ok(t, run.Start())
				time.Sleep(rand.N(time.Second)) // the kill is at any moment of the import
				_ = run.Process.Kill()          // it may have ended
				_ = run.Wait()
			}
			out, err := importOf(databaseURL, killed, file).CombinedOutput()
			refused := map[int]bool{}
			for _, line := range regexp.MustCompile(`(?m)^line (\d+) \(key`).FindAllSubmatch(out, -1) {
				number, _ := strconv.Atoi(string(line[1]))
				refused[number] = true
			}
			if err == nil || len(refused) == 0 || !strings.Contains(string(out), fmt.Sprintf("%d lines refused", len(refused))) {
				t.Fatalf("%v: %s", err, out)
			}
			var good []string
			for n, line := range all {
				if !refused[n+1] {
					good = append(good, line)
				}
			}
			ok(t, os.WriteFile(file, []byte(strings.Join(good, "\n")), 0o600))
			if out, err := importOf(databaseURL, whole, file).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			want, got := stateOf(t, databaseURL, whole), stateOf(t, databaseURL, killed)
			if len(got) != len(good) {
				t.Errorf("%d entries, of %d lines", len(got), len(good))
			}
			for key := range want {
				if got[key] != want[key] {
					t.Errorf("%s:\n%s\nwithout refused lines:\n%s", key, got[key], want[key])
				}
			}
			if out, diagnostics, err := program.Run(t, "", "check", "--database-url", databaseURL, "--blob-url", "mem://"); err != nil {
				t.Errorf("check: %v: %s%s", err, out, diagnostics)
			}
		})
	}
}

func importOf(databaseURL, project, file string) *exec.Cmd {
	return exec.Command(program.Binary(), "import", "--database-url", databaseURL, "--project", project, "--collection", "people", file)
}

// clusters returns lines in groups that point to each other, some of which have a fault, and a ring
// of lines that does not fit one transaction.
func clusters(random *rand.Rand, count int) (all []string) {
	const size, ring = 10, 1500
	line := func(key, title string, targets ...string) {
		for i, target := range targets {
			targets[i] = strconv.Quote(target)
		}
		all = append(all, fmt.Sprintf(`{"key":%q,"published":true,"fields":{"title":%s,"email":"%s@x.org"},"relations":{"boss":%s,"friends":[%s]}}`,
			key, title, key, targets[0], strings.Join(targets[1:], ",")))
	}
	for c := range count {
		for n := range size {
			title, boss, friend := fmt.Sprintf(`"Person %d of %d"`, n, c), fmt.Sprintf("c%d-%d", c, random.IntN(size)), fmt.Sprintf("c%d-%d", c, random.IntN(size))
			switch random.IntN(60) {
			case 0:
				title = `null`
			case 1:
				boss = "nobody"
			case 2:
				friend = fmt.Sprintf("c%d-1", random.IntN(count))
			}
			line(fmt.Sprintf("c%d-%d", c, n), title, boss, friend)
		}
	}
	for n := range ring {
		line(fmt.Sprintf("r%d", n), `"Part of the ring"`, fmt.Sprintf("r%d", (n+1)%ring))
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// newPeople creates a project with the collection people and returns its UUID.
func newPeople(t *testing.T, database string) string {
	t.Helper()
	cfg := config.Default()
	cfg.DatabaseURL, cfg.LogLevel = database, "error"
	var organisation *access.Organisation
	var collections *definition.Collections
	stop, err := service.Use(t.Context(), cfg, &organisation, &collections)
	ok(t, err)
	defer stop()
	tenant, err := organisation.CreateTenant(t.Context(), core.SystemActor, "Acme")
	ok(t, err)
	project, err := organisation.CreateProject(t.Context(), core.SystemActor, tenant.ID, access.ProjectInput{Name: "Site", DefaultLocale: "en", Locales: []string{"en"}})
	ok(t, err)
	_, err = collections.Create(t.Context(), core.SystemActor, project, definition.CollectionInput{Slug: "people", Name: "People", Fields: []definition.FieldInput{
		{Name: "code", Type: core.TypeText, Unique: true},
		{Name: "title", Type: core.TypeText, Required: true},
		{Name: "email", Type: core.TypeEmail, Unique: true},
		{Name: "boss", Type: core.TypeRelation, Collection: "people", Required: true},
		{Name: "friends", Type: core.TypeRelation, Collection: "people", Multiple: true},
	}})
	ok(t, err)
	return project.UUID
}

// stateOf returns what readers and editors get of each entry of a project, by its code.
func stateOf(t *testing.T, database, uuid string) map[string]string {
	t.Helper()
	cfg := config.Default()
	cfg.DatabaseURL, cfg.LogLevel = database, "error"
	var stores ports.Stores
	stop, err := service.Use(t.Context(), cfg, &stores)
	ok(t, err)
	defer stop()
	ctx := context.Background()
	project, err := stores.Projects.ProjectByUUID(ctx, uuid)
	ok(t, err)
	collections, err := stores.Collections.Collections(ctx, project.ID)
	ok(t, err)
	entries, err := stores.Entries.Walk(ctx, project.ID, collections[0].ID, 0, 10_000)
	ok(t, err)
	codes, known := map[int64]string{}, map[int64]bool{}
	for _, e := range entries {
		codes[e.Group], known[e.ID] = string(e.Draft.Value("code")), true
	}
	coded := func(doc core.Document) string {
		values := doc.Values()
		for _, field := range []string{"boss", "friends"} {
			var names []string
			for _, id := range core.ReferenceIDs(values[field]) {
				names = append(names, codes[id])
			}
			values[field], err = json.Marshal(names)
			ok(t, err)
		}
		return string(core.NewDocument(values))
	}
	state := map[string]string{}
	for _, e := range entries {
		publications, err := stores.Publications.PublicationCount(ctx, project.ID, e.CollectionID, e.ID)
		ok(t, err)
		state[codes[e.Group]] = fmt.Sprintf("%s\n%s\n%d", coded(e.Draft), coded(e.Published), publications)
	}
	events, err := stores.Events.Events(ctx, ports.EventQuery{ProjectID: project.ID, Limit: 100_000})
	ok(t, err)
	for _, e := range events {
		if e.EntryID != 0 && !known[e.EntryID] {
			t.Errorf("event %s names entry %d, which does not exist", e.Type, e.EntryID)
		}
	}
	return state
}
