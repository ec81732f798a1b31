package mcp

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/mcp/markdown"
	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
)

// richTextType is the field type whose values the argument richText is about.
const richTextType fieldtype.Name = "richtext"

// richTextInput is the argument of tools that read or write rich text.
type richTextInput struct {
	RichText string `json:"richText,omitempty" jsonschema:"form of the values of the type richtext: html (default) or markdown"`
}

// converter converts the rich text of a collection between HTML and Markdown. Nil: it stays HTML.
type converter struct{ collection *core.Collection }

// converter returns the converter for an argument, or nil for HTML.
func (c *call) converter(at place, in richTextInput) (*converter, error) {
	switch in.RichText {
	case "", "html":
		return nil, nil //nolint:nilnil // see above
	case "markdown":
	default:
		return nil, badArgument("richText", "must be html or markdown")
	}
	p, err := c.project(at.Project)
	if err != nil {
		return nil, err
	}
	collection, err := c.collection(p, at.Collection)
	if err != nil {
		return nil, err
	}
	return &converter{collection}, nil
}

// shown returns the value of a field with its rich text as Markdown.
func (v *converter) shown(name string, value json.RawMessage) json.RawMessage {
	return v.edit(name, value, func(_, text string) string { return markdown.FromHTML(text) })
}

// showAll converts values in place.
func (v *converter) showAll(values map[string]json.RawMessage) {
	for name, value := range values {
		values[name] = v.shown(name, value)
	}
}

// showEntry returns an entry of the content API, whose fields are beside its id, with its rich text as Markdown.
func (v *converter) showEntry(entry json.RawMessage) json.RawMessage {
	if v == nil {
		return entry
	}
	return json.RawMessage(core.Document(entry).Edit(v.shown))
}

// written returns values with the HTML of the Markdown in them, or the faults of the Markdown.
func (v *converter) written(values map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	if v == nil {
		return values, nil
	}
	var faults core.Faults
	converted := make(map[string]json.RawMessage, len(values))
	for name, value := range values {
		converted[name] = v.edit(name, value, func(at, text string) string {
			html, fault := markdown.ToHTML(text)
			if fault != "" {
				faults.Add(core.FieldLocation(name)+at, nil, fault)
			}
			return html
		})
	}
	if len(faults.List) == 0 {
		return converted, nil
	}
	refused := &fault{Status: http.StatusUnprocessableEntity, Code: "invalid", Detail: "some values are not valid"}
	for _, f := range faults.List {
		refused.Errors = append(refused.Errors, httpx.Fault{Location: f.Location, Message: f.Message})
	}
	return nil, refused
}

// edit returns the value of a field with each rich text in it replaced by the result of change, which gets the place of
// the text in the value. What is no valid value stays: the API has a fault for it.
func (v *converter) edit(name string, value json.RawMessage, change func(at, text string) string) json.RawMessage {
	if v == nil {
		return value
	}
	f := v.collection.Field(name)
	if f == nil || f.Type != richTextType && !f.Structured() {
		return value
	}
	arranged, err := canonical.Arrange(value)
	if err != nil {
		return value
	}
	return f.EditValues(arranged, func(f *core.Field, at string, raw json.RawMessage) json.RawMessage {
		if f.Type != richTextType {
			return raw
		}
		if !strings.HasPrefix(string(raw), "[") {
			return changed(raw, at, change)
		}
		var texts []string
		canonical.Elements(raw, func(text []byte) {
			texts = append(texts, string(changed(text, at+"["+strconv.Itoa(len(texts))+"]", change)))
		})
		return json.RawMessage("[" + strings.Join(texts, ",") + "]")
	})
}

// changed returns a text replaced by the result of change, and what is no text unchanged.
func changed(raw json.RawMessage, at string, change func(at, text string) string) json.RawMessage {
	if text, ok := canonical.Text(raw); ok && !strings.Contains(text, "\x00") {
		return canonical.Quote(change(at, text))
	}
	return raw
}

// showCurrent converts the present entry in the fault of a write that came too late.
func (v *converter) showCurrent(f *fault) {
	var current map[string]json.RawMessage
	var fields map[string]json.RawMessage
	if v == nil || json.Unmarshal(f.Current, &current) != nil || json.Unmarshal(current["fields"], &fields) != nil {
		return
	}
	v.showAll(fields)
	var err error
	if current["fields"], err = json.Marshal(fields); err != nil {
		return
	}
	if shown, err := json.Marshal(current); err == nil {
		f.Current = shown
	}
}
