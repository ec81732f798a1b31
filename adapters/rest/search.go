package rest

import (
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/words"
)

// The lengths of the text of a search in characters, and the number of results of each kind.
const (
	minSearch = 2
	maxSearch = 200
	maxFound  = 8
)

func (a *API) registerSearch() {
	q := endpoint.TextParam("q", "What to look for: a release number, or a part of a title, a name or an e-mail, ignoring case. At most "+strconv.Itoa(maxSearch)+" characters.", "harbour")
	q.Required = true
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/search", ID: "searchEverything", Tag: "Search", Action: access.SignedIn,
		Title: "Search in all projects",
		About: "Finds what the caller may open, at most " + strconv.Itoa(maxFound) + " of each kind: an approval request by its release number; entries by the title of the draft; " +
			"collections and Projects by their name; accounts by their name or e-mail, if the caller may list them. A text of one character finds nothing. " +
			"Entries are found by texts with three letters or digits in a row.",
		Query: []*endpoint.QueryParam{q},
	}, a.search)
}

func (a *API) search(c *endpoint.Call, _ endpoint.None) (wire.SearchResults, error) {
	text, err := searchText(c)
	if err != nil || utf8.RuneCountInString(text) < minSearch {
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
		found.Collections, err = a.Drafts.FindCollections(c.Context(), projects, text, maxFound)
	}
	if err == nil {
		found.Users, err = a.Users.Find(c.Context(), c.Actor, text, maxFound)
	}
	return wire.SearchResultsOf(found), err
}

// searchText returns the parameter q without spaces at its ends.
func searchText(c *endpoint.Call) (string, error) {
	text, given := c.Params["q"]
	text = strings.TrimSpace(text)
	switch {
	case !given:
		return "", endpoint.BadParameter("q", "is required")
	case !core.ValidText(text):
		return "", endpoint.BadParameter("q", "must be text")
	case utf8.RuneCountInString(text) > maxSearch:
		return "", endpoint.BadParameter("q", "must have at most "+strconv.Itoa(maxSearch)+" characters")
	default:
		return text, nil
	}
}

// named returns up to maxFound Projects whose name contains text, ignoring case.
func named(projects []*core.Project, text string) (found []*core.Project) {
	for _, p := range projects {
		if len(found) < maxFound && strings.Contains(words.Caseless(p.Name), words.Caseless(text)) {
			found = append(found, p)
		}
	}
	return found
}
