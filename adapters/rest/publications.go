package rest

import (
	"context"
	"crypto/ed25519"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/approval"
	"imprimatur/core/approval/proof"
	"imprimatur/core/canonical"
	"imprimatur/core/installation"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/core/signing"
)

// publishedPage is one page of publications.
type publishedPage = wire.Pages[wire.PublishedVersion]

// The publication of the story, and one before it.
var (
	storyPublication = wire.PublishedContent{
		PublishedVersion: wire.PublishedVersion{
			Number: 2, ContentHash: storyHash, PublishedAt: *storyPublished.PublishedAt, By: dina,
			RequestID: &storyPublished.ID, ReleaseNumber: &storyPublished.ReleaseNumber,
		},
		Fields: wire.Object(`{"slug":"ceasefire-holds","title":"Ceasefire holds"}`), Media: wire.Object(`{}`),
	}
	storyPublications = publishedPage{
		Data: []wire.PublishedVersion{
			storyPublication.PublishedVersion,
			{Number: 1, ContentHash: digest("1"), PublishedAt: storyTime, UnpublishedAt: storyPublished.PublishedAt, By: paul},
		},
		Meta: wire.PagesMeta{Page: 1, PerPage: 25, Total: 2},
	}
	storyProof = prove(storySigner{storyPrivate, storyKey}, core.Publication{
		ProjectID: 1, CollectionID: 2, EntryID: 42, Number: 2, Content: []byte(storySnapshot), ContentHash: storyHash,
		PublishedAt: time.Date(2026, 3, 2, 11, 45, 0, 0, time.UTC), By: dina,
	}, &approval.Record{Terms: storyAudit.Terms, Actions: storyAudit.Actions, ChainHash: storyAudit.ChainHash, State: storyAudit.State})
)

// storyPrivate is the private key that signed storyProof, and storyKey its public part.
var (
	storyPrivate = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	storyKey     = installation.SigningKey{
		Installation: "0b8e1f6a-4d0c-4a57-9a3e-5f1c2d3e4b5a", Fingerprint: canonical.Hash(storyPrivate.Public().(ed25519.PublicKey)),
		Public: storyPrivate.Public().(ed25519.PublicKey), From: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC),
	}
	storyKeys = signing.DocumentOf([]installation.SigningKey{storyKey})
)

// storySigner signs storyProof. It implements ports.Signer.
type storySigner struct {
	private ed25519.PrivateKey
	key     installation.SigningKey
}

// Sign implements ports.Signer. It never fails.
func (s storySigner) Sign(_ context.Context, message func(installation.SigningKey, time.Time) []byte) ([]byte, error) {
	return ed25519.Sign(s.private, message(s.key, time.Date(2026, 3, 5, 8, 0, 0, 0, time.UTC))), nil
}

func prove(signer storySigner, p core.Publication, record *approval.Record) *proof.Proof {
	made, _ := proof.New(context.Background(), signer, p, record) // signer never fails
	return made
}

func (a *API) registerPublications() {
	const (
		tag = "Publications"
		all = "/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/publications"
		one = all + "/{number}"
	)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listPublications", Tag: tag, Action: access.ReadContent, Query: pageParams,
		Title: "List an entry's publications", About: "Returns every version of the entry that readers saw, newest first, also after the entry was unpublished, trashed or destroyed. The Project can limit how long (publicationDays).",
		Example: storyPublications,
	}, withWindow(entryOf, func(c *endpoint.Call, ref review.EntryRef, window query.Window) (query.Page[core.Publication], error) {
		return a.Publications.List(c.Context(), ref, window)
	}, wire.PublishedVersionOf))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getPublication", Tag: tag, Action: access.ReadContent,
		Title: "Read a publication", About: "Returns one version that readers saw, with its content.", Example: storyPublication,
	}, withNumber("publication", func(c *endpoint.Call, ref review.EntryRef, number int64, _ endpoint.None) (wire.PublishedContent, error) {
		published, err := a.Publications.Publication(c.Context(), ref, number)
		if err != nil {
			return wire.PublishedContent{}, err
		}
		published.Fields, err = a.History.Fields(c.Context(), c.Project(), &published.Publication, published.Fields)
		return wire.PublishedContentOf(published), err
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one + "/changes", ID: "listPublicationChanges", Tag: tag, Action: access.ReadContent, Query: []*endpoint.QueryParam{{
			Name: diffToParam.Name, In: "query", Required: true, Example: "2", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "The number of another publication, `revision:` and the number of one, draft or published. " +
				"Publications are also those of entries in the trash and destroyed ones.",
		}},
		Title: "Compare a publication by the keys of items",
		About: "Returns the changes from the publication to another version of the entry. " +
			"A publication without sealed media is compared with the words that the library has now. " + aboutChanges,
		Example: storyChanges,
	}, compareVersions("publication", a.Drafts.PublicationChanges, wire.ChangesOf))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one + "/proof", ID: "provePublication", Tag: tag, Action: access.ReadContent,
		Title: "Prove a publication",
		About: "Returns a document that `imprimatur verify` checks without this server: the content as it was hashed and the record of the approval request, signed by this installation at the time of the request. api/proof.md documents the format. If the content has a field that is hidden now, the status is 409.",
		Fails: []core.Kind{core.KindConflict}, Example: storyProof,
	}, withNumber("publication", func(c *endpoint.Call, ref review.EntryRef, number int64, _ endpoint.None) (*proof.Proof, error) {
		return a.Publications.Proof(c.Context(), ref, number)
	}))
}
