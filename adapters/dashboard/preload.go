package dashboard

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
)

// start lists the files and API calls that the page at a path fetches first, besides the files in
// index.html. A Link header announces them, so that browsers fetch them at once and not only after
// the scripts of all pages have run. The list may be incomplete: the page fetches the rest later.
//
// With responses delayed by 150 ms, the first visit of the inbox takes 2.2 s instead of 2.9 s and that
// of the editor 5.3 s instead of 6.5 s, later visits 1.9 s instead of 2.5 s and 4.8 s instead of 5.1 s:
//
//	go run ./test/bench dashboard -articles 1000 -requests 50 -engines sqlite -parts preloading
type start struct {
	paths   []string // patterns of http.ServeMux, below Base; their wildcards are ids
	modules []string // sources of web, without their imports
	calls   []string // API calls when the path has no query; {name} is a wildcard of the path
}

const entryCall = "/api/projects/{project}/collections/{collection}/content/{entry}"

// starts lists the pages that users open by links and work in.
var starts = []start{
	{
		paths:   []string{"inbox", "{$}"}, // /dashboard/ shows the inbox
		modules: []string{"src/inbox/inbox.tsx"},
		calls:   []string{"/api/approvals/pending?page=1&perPage=25", "/api/approvals/failed?page=1&perPage=25"},
	},
	{
		paths:   []string{"review/{project}/{collection}/{entry}"},
		modules: []string{"src/review/review.tsx"},
		calls: []string{
			entryCall + "/approval", entryCall + "/approval/diff", entryCall + "/approval/audit",
			"/api/approvals/pending?page=1&perPage=100", "/api/projects/{project}/collections",
		},
	},
	{
		paths:   []string{"projects/{project}/collections/{collection}"},
		modules: []string{"src/content/table.tsx"},
		calls:   []string{"/api/projects/{project}/collections"},
	},
	{
		paths:   []string{"projects/{project}/collections/{collection}/entries/{entry}"},
		modules: []string{"src/editor/editor.tsx", "src/editor/richtext/control.tsx"},
		calls: []string{
			"/api/projects/{project}/collections", entryCall, entryCall + "/translations",
			entryCall + "/revisions?page=1&perPage=1", "/api/projects/{project}/approval-workflow/effective",
		},
	},
}

// builtFile is a member of Vite's manifest: a built file and its dependencies.
type builtFile struct {
	File    string
	CSS     []string
	Imports []string // keys of the manifest
}

// manifest is the name of Vite's manifest, which is not served.
const manifest = "manifest.json"

func readManifest() (map[string]builtFile, error) {
	packed, err := dist.Open("dist/" + manifest + ".br")
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	var files map[string]builtFile
	return files, json.NewDecoder(brotli.NewReader(packed)).Decode(&files)
}

// fileLinks returns the links to the files of index.html and of modules, and to all their imports. The
// script that fetches the texts of the user's language is first.
func fileLinks(files map[string]builtFile, modules []string) []string {
	var links []string
	seen := map[string]bool{}
	var add func(keys []string)
	add = func(keys []string) {
		for _, key := range keys {
			if seen[key] {
				continue
			}
			seen[key] = true
			links = append(links, "<"+Base+files[key].File+">; rel=modulepreload")
			for _, css := range files[key].CSS {
				links = append(links, "<"+Base+css+">; rel=preload; as=style; crossorigin")
			}
			add(files[key].Imports)
		}
	}
	if early, built := files["src/early.js"]; built {
		links = append(links, "<"+Base+early.File+">; rel=preload; as=script")
	}
	add([]string{"index.html"})
	add(modules)
	return links
}

var (
	wildcard = regexp.MustCompile(`\{(\w+)\}`)
	id       = regexp.MustCompile(`^[1-9][0-9]{0,18}$`)
)

// addStarts serves the pages of starts, to signed-in users, with their Link headers.
func (h *Handler) addStarts(files map[string]builtFile, signedIn func(http.HandlerFunc) http.HandlerFunc) {
	for _, s := range starts {
		links := fileLinks(files, s.modules)
		for _, path := range s.paths {
			names := wildcard.FindAllStringSubmatch(path, -1)
			h.mux.HandleFunc("GET "+Base+path, signedIn(func(w http.ResponseWriter, r *http.Request) {
				if ids, ok := idsOf(r, names); ok {
					all := links
					if r.URL.RawQuery == "" {
						all = slices.Concat(links, callLinks(s.calls, ids))
					}
					w.Header().Set("Link", strings.Join(all, ", "))
				}
				h.page(w, r)
			}))
		}
	}
}

// idsOf returns the wildcards of the path and their values, as pairs: {name}, value. It returns
// false if a value is not an id; the page then has nothing to fetch.
func idsOf(r *http.Request, names [][]string) (ids []string, ok bool) {
	for _, name := range names {
		value := r.PathValue(name[1])
		if !id.MatchString(value) {
			return nil, false
		}
		ids = append(ids, name[0], value)
	}
	return ids, true
}

// callLinks returns the links to API calls with these ids.
func callLinks(calls, ids []string) []string {
	fill := strings.NewReplacer(ids...)
	links := make([]string, len(calls))
	for i, call := range calls {
		links[i] = "<" + fill.Replace(call) + ">; rel=preload; as=fetch; crossorigin"
	}
	return links
}
