package demo

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Welcome returns the text that the demo prints when it is ready: addresses, users, tokens
// and example commands.
func (f Facts) Welcome(dir string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }

	line("Meridian Media is ready: %s", f.BaseURL)
	line("")
	line("  Dashboard       %s/dashboard/", f.BaseURL)
	line("                  The editor writes; the project admin, legal and the department admin review, in this order.")
	f.users(line, "editor", "projectAdmin", "legal", "departmentAdmin")
	line("")
	if f.MailURL != "" {
		line("  E-mails         %s (what the demo would send)", f.MailURL)
	}
	line("  API reference   %s/docs", f.BaseURL)
	line("  GraphiQL        %s/public/v2/graphql (open it in a browser)", f.BaseURL)
	line("  Operations      %s/readyz  %s/metrics", f.OpsURL, f.OpsURL)
	line("  This text       %s (as JSON)", filepath.Join(dir, factsFile))
	line("")
	line("More users (e-mail, password)")
	f.users(line, "superAdmin", "tenantAdmin", "viewer", "outsider")
	line("")
	line("Tokens")
	line("  World Desk  full       %s", f.Tokens.WorldDesk.Full)
	line("              read only  %s", f.Tokens.WorldDesk.ReadOnly)
	line("              drafts     %s", f.Tokens.WorldDesk.Drafts)
	line("              no read    %s", f.Tokens.WorldDesk.NoRead)
	line("  Blog        full       %s", f.Tokens.Blog.Full)
	line("              read only  %s", f.Tokens.Blog.ReadOnly)
	line("")
	line("Connect an assistant, which drafts and proposes in the name of the editor")
	line("  claude mcp add --transport http imprimatur %s/mcp --header 'Authorization: Bearer %s'", f.BaseURL, f.Assistant)
	line("")
	line("Example commands")
	b.WriteString(f.commands(filepath.Join(dir, "cookies")))
	return b.String()
}

// users writes a line with the e-mail and the password of each of the users.
func (f Facts) users(line func(format string, args ...any), keys ...string) {
	for _, key := range keys {
		line("  %-16s%-24s  %s", key, f.Users[key].Email, f.Users[key].Password)
	}
}

// commands returns the example commands, which store the session in the file cookies.
func (f Facts) commands(cookies string) string {
	read := "curl -sg -H 'Authorization: Bearer " + f.Tokens.WorldDesk.ReadOnly + "' '" + f.BaseURL + "/public/v2"
	entries := "/projects/" + f.Projects.WorldDesk.UUID + "/collections/countries/entries"
	editor := f.Users["editor"]
	return strings.Join([]string{
		"# The five largest countries of Africa, in French where translated",
		read + entries + "?where[region]=Africa&sort=area:desc&limit=5&locale=fr'",
		"# The countries of Europe with a neighbour in Asia, with their total",
		read + entries + "?where[region]=Europe&where[borders.region]=Asia&count=true'",
		"# The largest countries in Japanese, through GraphQL",
		read + "/graphql' -H 'Content-Type: application/json' -d '{\"query\":\"{ entries(collection: \\\"countries\\\", locale: \\\"ja\\\", limit: 3, sort: \\\"area:desc\\\") { totalCount items { id locale data } } }\"}'",
		"# Sign in as the editor",
		fmt.Sprintf("curl -s -c %s -H 'Content-Type: application/json' -d '{\"email\":\"%s\",\"password\":\"%s\"}' '%s/api/session'", cookies, editor.Email, editor.Password, f.BaseURL),
		"# Drafts, read as the editor",
		fmt.Sprintf("curl -sg -b %s '%s/api/projects/%d/collections/%d/content?state=only_draft&limit=3'", cookies, f.BaseURL, f.Projects.WorldDesk.ID, f.Collections.Articles),
	}, "\n") + "\n"
}
