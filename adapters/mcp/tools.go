package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"runtime/debug"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// effect is what a tool does, for its annotations.
type effect uint8

const (
	reads effect = iota
	adds         // it creates something with each call
	edits        // it replaces something; the same call again changes nothing more
)

// tool describes a tool. Its name is that of a verb and what it is about.
type tool struct {
	name, title, about string
	effect             effect
}

// register adds a tool whose calls run do. Faults of the API are errors of the tool.
func register[In, Out any](server *mcp.Server, a *api, t tool, do func(c *call, in In) (Out, error)) {
	destructive, open := t.effect == edits, false
	mcp.AddTool(server, &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.about,
		InputSchema: schemaOf[In](), OutputSchema: schemaOf[Out](),
		Annotations: &mcp.ToolAnnotations{
			Title: t.title, ReadOnlyHint: t.effect == reads, DestructiveHint: &destructive, IdempotentHint: t.effect != adds, OpenWorldHint: &open,
		},
	}, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		out, err := answered(ctx, a, req.Extra.Header, in, do)
		if _, known := errors.AsType[*fault](err); err != nil && !known {
			err = faultOf(ctx, err)
		}
		return nil, out, err
	})
}

// answered returns what do returns. A panic is an internal fault: the SDK runs calls in goroutines of its own.
func answered[In, Out any](ctx context.Context, a *api, header http.Header, in In, do func(c *call, in In) (Out, error)) (out Out, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	c, err := a.begin(ctx, header)
	if err != nil {
		return out, err
	}
	if out, err = do(c, in); err != nil {
		return out, err
	}
	if n := size(out); n > maxAnswer {
		return out, tooLong(n, "ask for less")
	}
	return out, nil
}

// schemaOf returns the JSON schema of T, in which raw JSON is any value.
func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}}})
	if err != nil {
		panic("mcp: " + err.Error())
	}
	return s
}

// addTools adds all tools. No tool publishes, decides, unpublishes, deletes, or changes definitions, settings or rights.
func addTools(server *mcp.Server, a *api) {
	register(server, a, tool{
		"list_collections", "List collections",
		"Lists the projects of the assistant with their languages and collections. Other tools name a project by its id and a collection by its slug.", reads,
	}, (*call).listCollections)
	register(server, a, tool{
		"describe_collection", "Describe a collection",
		"Returns the fields of a collection with their types and rules, the components of its items, and an example of the fields of an entry.", reads,
	}, (*call).describeCollection)
	register(server, a, tool{
		"search", "Search", "Finds published entries by words, in all collections of a project or in some.", reads,
	}, (*call).search)
	register(server, a, tool{
		"read_entries", "Read entries",
		"Lists entries of a collection by conditions, in an order. count is the number of entries in the answer and total that of all; cursor, given again, continues. fields limits what each entry shows; richText chooses HTML or Markdown.", reads,
	}, (*call).readEntries)
	register(server, a, tool{
		"read_entry", "Read an entry",
		"Returns the published version of an entry or its draft, which has the version that update_draft needs. A text that is too long for one answer is read in parts, with field and from. richText chooses HTML or Markdown; what Markdown cannot say stays HTML in it.", reads,
	}, (*call).readEntry)
	register(server, a, tool{
		"compare", "Compare draft and published version", "Returns the fields in which the draft of an entry differs from its published version; richText chooses HTML or Markdown.", reads,
	}, (*call).compare)
	register(server, a, tool{
		"list_media", "List media", "Lists the files of the media library, the newest first. A field of the type media takes their ids.", reads,
	}, (*call).listMedia)
	register(server, a, tool{
		"create_draft", "Create a draft",
		"Creates an entry as a draft, which readers do not see. A translation names the entry that it translates. Rich text is HTML or, with richText, Markdown, and is cleaned. faults lists what the draft still lacks for a publication.", adds,
	}, (*call).createDraft)
	register(server, a, tool{
		"update_draft", "Change a draft",
		"Replaces the fields that it names in the draft of an entry; null clears a field. Rich text is HTML or, with richText, Markdown. It needs the version that was read: if another user or assistant has changed the entry since, the error has the entry as it is now.", edits,
	}, (*call).updateDraft)
	register(server, a, tool{
		"validate_draft", "Validate a draft", "Returns everything that the draft of an entry lacks for a publication.", reads,
	}, (*call).validateDraft)
	register(server, a, tool{
		"submit_for_review", "Submit for review",
		"Submits the draft of an entry, or of several entries as one release, to the reviewers of the project. Nothing is published before they have approved it. Without reviewers it is refused, and a user publishes.", adds,
	}, (*call).submit)
	register(server, a, tool{
		"comment", "Comment on a request", "Adds a comment to the open request of an entry or of a release, for its reviewers.", adds,
	}, (*call).comment)
}
