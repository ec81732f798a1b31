package e2e

import (
	"net"

	"path/filepath"
	"strings"
	"testing"

	"imprimatur/app/config"
	"imprimatur/app/demo"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/definition"
	"imprimatur/test/program"
)

// TestImportAndExportCommands checks what the commands print.
func TestImportAndExportCommands(t *testing.T) {
	t.Parallel()
	database := "sqlite:" + filepath.Join(t.TempDir(), "imprimatur.db")
	cfg := config.Default()
	cfg.DatabaseURL, cfg.LogLevel = database, "error"
	var organisation *access.Organisation
	var collections *definition.Collections
	stop, err := service.Use(t.Context(), cfg, &organisation, &collections)
	ok(t, err)
	tenant, err := organisation.CreateTenant(t.Context(), core.SystemActor, "Acme")
	ok(t, err)
	project, err := organisation.CreateProject(t.Context(), core.SystemActor, tenant.ID, access.ProjectInput{Name: "Site", DefaultLocale: "en", Locales: []string{"en"}})
	ok(t, err)
	_, err = collections.Create(t.Context(), core.SystemActor, project, definition.CollectionInput{Slug: "members", Name: "Members", Fields: []definition.FieldInput{
		{Name: "name", Type: core.TypeText, Unique: true}, {Name: "notes", Type: core.TypeText, Hidden: true}, {Name: "pin", Type: core.TypePassword},
		{Name: "friend", Type: core.TypeRelation, Collection: "members"},
	}})
	ok(t, err)
	stop()
	run := func(stdin, command string, args ...string) (out, diagnostics string, err error) {
		return program.Run(t, stdin, append([]string{command, "--database-url", database, "--project", project.UUID, "--collection", "members"}, args...)...)
	}

	out, diagnostics, err := run("\uFEFF"+`{"key":"Ada","fields":{"notes":"hush","pin":"long enough"}}
{"key":"Bob","relations":{"friend":"Zoe"}}
{"key":"Ada","fields":{"notes":"louder"}}
{"key":"Cem","relations":{"friend":"Bob"}}
{"key":"Dee","fields":{"size":1}
`, "import", "-")
	const refused = `line 2 (key "Bob"): some values are not valid
  relations.friend ("Zoe"): no entry of members has this key
line 3 (key "Ada"): some values are not valid
  key ("Ada"): line 1 has the same key in locale en and would be overwritten
line 4 (key "Cem"): some values are not valid
  relations.friend ("Bob"): no entry of members has this key: line 2 was refused
line 5: the JSON object does not end on the line: the file is truncated, or an object spans several lines
imprimatur: 4 lines were refused; all others are imported
`
	if err == nil || out != "1 created, 0 updated, 0 unchanged, 4 lines refused\n" || diagnostics != refused {
		t.Errorf("%v: %s%s", err, out, diagnostics)
	}
	if _, diagnostics, err = run("\xff\xfe{\x00}\x00", "import", "-"); err == nil || !strings.HasSuffix(diagnostics, "the file is in UTF-16: convert it to UTF-8\n") {
		t.Errorf("%v: %s", err, diagnostics)
	}

	const passwords = "not exported: values of password fields (pin), which are never exported\n"
	out, diagnostics, err = run("", "export")
	if err != nil || strings.Contains(out, "hush") || diagnostics != "not exported: values of hidden fields (notes); --with-hidden exports them\n"+passwords {
		t.Errorf("%v: %s%s", err, out, diagnostics)
	}
	out, diagnostics, err = run("", "export", "--with-hidden")
	if err != nil || !strings.Contains(out, `"notes":"hush"`) || strings.Contains(out, "pin") || diagnostics != passwords {
		t.Errorf("%v: %s%s", err, out, diagnostics)
	}
	if _, _, err = run(strings.ReplaceAll(out, "hush", "still hush"), "import", "-"); err != nil {
		t.Error(err)
	}
	if out, _, err = run("", "export", "--with-hidden"); err != nil || !strings.Contains(out, "still hush") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestDemoTakesTheNextFreePort starts a demo while its default ports are in use.
func TestDemoTakesTheNextFreePort(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	for _, address := range []string{cfg.Listen, cfg.OpsListen} {
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err == nil { // otherwise another program uses the port
			defer listener.Close()
		}
	}
	p := program.Launch(t, "demo")
	p.Await(t, "the greeting", func() bool { return strings.Contains(p.Output(), "Example commands") })
	facts, err := demo.Load(filepath.Join(p.Dir, "var/demo"))
	ok(t, err)
	for address, used := range map[string]string{cfg.Listen: facts.BaseURL, cfg.OpsListen: facts.OpsURL} {
		used = strings.Replace(strings.TrimPrefix(used, "http://"), "localhost:", "127.0.0.1:", 1)
		if used == address || !strings.Contains(p.Output(), address+" is in use: the demo uses "+used) {
			t.Errorf("%s: %s\n%s", address, used, p.Output())
		}
	}
}
