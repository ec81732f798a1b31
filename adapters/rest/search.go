package rest

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/reading"
	"imprimatur/core/words"
)

const (
	minSearch = 2 // characters of a text in a script with spaces between words
	maxFound  = 8 // results of each kind
)

func (a *API) registerSearch() {
	q := endpoint.TextParam("q", "What to look for: a release number, or a part of a title, a name or an e-mail, accents and case aside. "+
		"At most 4 KB and "+strconv.Itoa(words.MaxSearchWords)+" words.", "harbour")
	q.Required = true
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/search", ID: "searchEverything", Tag: "Search", Action: access.SignedIn,
		Title: "Search in all projects",
		About: "Finds what the caller may open, at most " + strconv.Itoa(maxFound) + " of each kind: an approval request by its release number; entries by the words of the draft's searchable texts, or by a part of its title; media by a part of their caption, file name or a tag; " +
			"collections and Projects by their name; accounts by their name or e-mail, if the caller may list them. " +
			"A text of one character finds nothing, unless its script has no spaces between words: 橋.",
		Query: []*endpoint.QueryParam{q},
	}, a.search)
	text := endpoint.TextParam("q", "Words, as in the parameter search of a list: an entry must have all of them in its searchable texts.", `harbour "old town"`)
	text.Required = true
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: projectsBase + "/{projectUuid}/search", ID: "searchEntries", Tag: "Public content", Action: access.ReadPublic, Conditional: true,
		Title: "Search in several collections",
		About: "Returns published entries of all collections, or of some, that have the words: first those with all words in the title, then the newest. " +
			"For each translation group, the entry that a list in the locale would have is searched. Collections without a searchable field are not searched; naming one is 400. " +
			"`excerpt` is a part of a text around the words, in pieces: `found` is true where the search looks for the piece.",
		Query: []*endpoint.QueryParam{
			text,
			endpoint.TextParam("collections", "The slugs of the collections to search, joined by commas. Omitted means all.", "articles,pages"),
			endpoint.TextParam("locale", "As in a list. Omitted means the default locale of the Project; `*` is every locale.", "de"),
			endpoint.IntParam("limit", "The largest number of entries to return, 1 to 50.", 20, 1, new(float64(reading.MaxSearchLimit)), reading.DefaultSearchLimit),
			endpoint.TextParam("fields", "Fields to show in `entry`, each after the slug of its collection, joined by commas. Relations are ids.", "articles.slug"),
			endpoint.TextParam("after", "The value of `meta.next` in the page before. The other parameters must be the same, except limit and fields.", "AcpVm3-bWwqqjgE"),
		},
	}, a.searchEntries)
}

func (a *API) searchEntries(c *endpoint.Call, _ endpoint.None) (wire.FoundPage, error) {
	q := reading.SearchQuery{
		Text: c.Params["q"], Locale: c.Params["locale"], Limit: reading.DefaultSearchLimit, Fields: c.Params["fields"], After: c.Params["after"],
	}
	limit := c.Int("limit")
	if err := c.BadQuery(); err != nil {
		return wire.FoundPage{}, err
	}
	for _, name := range []string{"q", "collections", "locale", "fields", "after"} {
		value, given := c.Params[name]
		if given && value == "" {
			return wire.FoundPage{}, endpoint.BadParameter(name, "is empty")
		}
		if name == "q" && !given {
			return wire.FoundPage{}, endpoint.BadParameter(name, "is required")
		}
	}
	if list := c.Params["collections"]; list != "" {
		q.Collections = strings.Split(list, ",")
	}
	if limit != nil {
		if q.Limit = *limit; q.Limit < 1 || q.Limit > reading.MaxSearchLimit {
			return wire.FoundPage{}, endpoint.BadParameter("limit", "must be between 1 and "+strconv.Itoa(reading.MaxSearchLimit))
		}
	}
	q.Depends = a.Tags.Collect()
	c.Shared = func(r *httpx.Response) { r.AddShared(a.Tags, c.Project(), q.Depends, true) }
	reader, err := a.readerOf(c)
	if err != nil {
		return wire.FoundPage{}, err
	}
	found, err := reader.Search(c.Context(), c.Project(), q)
	return wire.Shown(found, err, wire.FoundPageOf)
}

func (a *API) search(c *endpoint.Call, _ endpoint.None) (wire.SearchResults, error) {
	text, err := searchText(c)
	if first, _ := utf8.DecodeRuneInString(text); err != nil || utf8.RuneCountInString(text) < minSearch && !words.Unspaced(first) {
		return wire.SearchResultsOf(wire.Searched{}), err
	}
	var found wire.Searched
	projects, err := a.Organisation.Projects(c.Context(), c.Actor)
	if err == nil {
		found.Projects = named(projects, text)
		found.Requests, err = a.Inbox.Find(c.Context(), c.Actor, text, maxFound)
	}
	if err == nil {
		found.Entries, err = a.Drafts.FindEntries(c.Context(), projects, text, maxFound)
	}
	if err == nil {
		found.Media, err = a.findMedia(c.Context(), projects, text)
	}
	if err == nil {
		found.Collections, err = a.Drafts.FindCollections(c.Context(), projects, text, maxFound)
	}
	if err == nil {
		found.Users, err = a.Users.Find(c.Context(), c.Actor, text, maxFound)
	}
	return wire.SearchResultsOf(found), err
}

// findMedia returns up to maxFound media items of the Projects whose words contain text, accents and case aside.
func (a *API) findMedia(ctx context.Context, projects []*core.Project, text string) (found []wire.MediaIn, err error) {
	for _, p := range projects {
		items, err := a.Media.Find(ctx, p, text, maxFound-len(found))
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			found = append(found, wire.MediaIn{MediaItem: item, Project: p})
		}
		if len(found) >= maxFound {
			break
		}
	}
	return found, nil
}

// searchText returns the parameter q without spaces at its ends.
func searchText(c *endpoint.Call) (string, error) {
	text, given := c.Params["q"]
	text = strings.TrimSpace(text)
	if !given {
		return "", endpoint.BadParameter("q", "is required")
	}
	if _, fault := words.ParseSearch(text); fault != "" {
		return "", endpoint.BadParameter("q", fault)
	}
	return text, nil
}

// named returns up to maxFound Projects whose name contains text, accents and case aside.
func named(projects []*core.Project, text string) (found []*core.Project) {
	for _, p := range projects {
		if len(found) < maxFound && strings.Contains(words.Fold(p.Name), words.Fold(text)) {
			found = append(found, p)
		}
	}
	return found
}
