package definition

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
	"imprimatur/core/previewurl"
	"imprimatur/core/slug"
	"imprimatur/core/validation"
	"imprimatur/core/words"
	"imprimatur/ports"
)

// Limits of a definition, in characters for texts.
const (
	maxName        = 63
	maxLabel       = 200
	maxDescription = 2000
	maxPattern     = 1000
	maxHelp        = 300
	maxChoices     = 500
	maxFields      = 200
	maxComponents  = 50
	maxTargets     = 50
)

var (
	fieldName      = regexp.MustCompile(`\A[a-z][A-Za-z0-9_]*\z`)
	collectionSlug = regexp.MustCompile(`\A[a-z0-9]+(-[a-z0-9]+)*\z`)
)

// definition is a collection or a component that is being defined.
type definition struct {
	*core.Collection // the fields of a component, too
	component        bool
	project          *core.Project
	others           []*core.Collection // of the Project
	components       core.Components    // of the Project
	faults           core.Faults
	reworded         bool // searches find something else than before
	only             int  // the index of the field that is the whole input; -1: the input is a collection
}

// at returns the location of the options of the ith field.
func (d *definition) at(i int) string {
	if i == d.only {
		return ""
	}
	return "fields[" + strconv.Itoa(i) + "]."
}

// define returns a new collection as defined by in, or an error with all faults of in.
func define(project *core.Project, others []*core.Collection, components core.Components, in CollectionInput) (*core.Collection, error) {
	d := &definition{
		Collection: &core.Collection{ProjectID: project.ID, Slug: in.Slug, Singleton: in.Singleton, NextFieldID: 1, Version: 1, Forms: words.Version, FormsReady: true},
		project:    project,
		others:     others,
		components: components,
	}
	d.mark(cmp.Or(in.Icon, core.DefaultIcon))
	d.OwnKey = newKey(in, func(key string) bool {
		return slices.ContainsFunc(others, func(o *core.Collection) bool { return o.Key() == key })
	})
	d.begin(in, slices.ContainsFunc(others, func(o *core.Collection) bool { return o.Slug == in.Slug }), "is taken by another collection")
	d.preview(in.PreviewURL)
	d.assignSlots(true)
	d.assignLeaves(true)
	return d.Collection, d.faults.Err()
}

// newKey returns OwnKey of a new definition. used reports whether a key is that of another one.
func newKey(in CollectionInput, used func(key string) bool) string {
	key := cmp.Or(in.Key, in.Slug)
	for n := 2; in.Key == "" && used(key); n++ {
		key = in.Slug + "-" + strconv.Itoa(n)
	}
	if key == in.Slug {
		return ""
	}
	return key
}

// SlugFault says why a text cannot be a slug or a key; empty: it can.
func SlugFault(text string) string {
	if !collectionSlug.MatchString(text) || len(text) > maxName {
		return "must be words of a-z and 0-9 joined by single hyphens, at most 63 characters"
	}
	return ""
}

// begin defines a new collection or component and checks it. taken reports that its slug is in use, for
// which the fault is takenFault.
func (d *definition) begin(in CollectionInput, taken bool, takenFault string) {
	if message := SlugFault(in.Slug); message != "" {
		d.faults.Add("slug", core.Clip(in.Slug), message)
	} else if taken {
		d.faults.Add("slug", in.Slug, takenFault)
	}
	if message := SlugFault(in.Key); message != "" && in.Key != "" {
		d.faults.Add("key", core.Clip(in.Key), message)
	}
	d.name(in.Name)
	d.describe(d.Name, in.Description)
	for _, field := range in.Fields {
		d.add(field)
	}
	d.check(-1)
}

// mark changes the icon.
func (d *definition) mark(icon core.Icon) {
	if icon == d.Icon {
		return
	}
	d.Icon = icon
	if !slices.Contains(core.Icons(), d.Icon) {
		d.faults.Add("icon", core.Clip(string(d.Icon)), "must be one of: "+core.Joined(core.Icons()))
	}
}

// preview sets the preview URL. The fields of d are those that its placeholders may name.
func (d *definition) preview(template string) {
	d.PreviewURL = template
	if template == "" {
		return
	}
	if fault := previewurl.Fault(template); fault != "" {
		d.faults.Add("previewUrl", nil, fault)
		return
	}
	if origin := previewurl.Origin(template); !slices.Contains(d.project.PreviewOrigins, origin) {
		d.faults.Add("previewUrl", nil, "must begin with one of the previewOrigins of the project, which "+origin+" is not")
	}
	for _, name := range previewurl.Placeholders(template) {
		if !slices.Contains(previewurl.OfCollection, name) && !previewurl.Fills(d.Collection, name) {
			d.faults.Add("previewUrl", nil, "unknown placeholder {"+core.Clip(name)+"}: must be {"+strings.Join(previewurl.OfCollection, "}, {")+
				"} or a single text, slug, enumeration, number or date of the collection that is not hidden")
		}
	}
}

// input returns the members of d that Update changes.
func (d *definition) input() CollectionInput {
	return CollectionInput{Name: d.Name, Description: d.Description, Icon: d.Icon, PreviewURL: d.PreviewURL, Singleton: d.Singleton}
}

// set changes the members of a collection that do not depend on its fields.
func (d *definition) set(ctx context.Context, entries ports.EntryFinder, in CollectionInput) error {
	d.describe(in.Name, in.Description)
	d.mark(in.Icon)
	return d.single(ctx, entries, in.Singleton)
}

// describe changes name and description.
func (d *definition) describe(name, description string) {
	if name != d.Name {
		d.name(name)
	}
	if description != d.Description {
		d.Description = strings.TrimSpace(description)
		if message := plainFault(d.Description, maxDescription); message != "" {
			d.faults.Add("description", nil, message)
		}
	}
}

// name sets the name, which must not be empty.
func (d *definition) name(name string) {
	d.Name = strings.TrimSpace(name)
	if message := lineFault(d.Name, maxLabel); message != "" || d.Name == "" {
		d.faults.Add("name", core.Clip(d.Name), cmp.Or(message, "is required"))
	}
}

// add appends a field, with a new id or that of the removed field with its name.
func (d *definition) add(in FieldInput) {
	f := newField(in)
	if old := d.removed(f.Name); old != nil {
		if !sameValues(old, f) {
			d.faults.Add("name", core.Clip(f.Name), "is that of a removed field whose values entries or their history still have: it comes back only as "+shapeOf(old))
		}
		f.ID, f.Former = old.ID, formerSlugs(old, f)
		d.Removed = slices.DeleteFunc(d.Removed, func(other *core.Field) bool { return other == old })
	} else {
		f.ID = d.NextFieldID
		d.NextFieldID++
	}
	d.Fields = append(d.Fields, f)
}

// order puts the fields in the order of names, which must have each field once.
func (d *definition) order(names []string) {
	fields := make([]*core.Field, 0, len(names))
	for _, name := range names {
		if f := d.Field(name); f != nil && !slices.Contains(fields, f) {
			fields = append(fields, f)
		}
	}
	if len(fields) != len(names) || len(fields) != len(d.Fields) {
		d.faults.Add("order", nil, "must name every field of the collection once")
		return
	}
	d.Fields = fields
}

// removed returns the removed field with that name, or nil.
func (d *definition) removed(name string) *core.Field {
	for _, old := range d.Removed {
		if old.Name == name {
			return old
		}
	}
	return nil
}

// newField returns the field that in describes, without an id.
func newField(in FieldInput) *core.Field {
	f := &core.Field{
		Name: in.Name, Label: strings.TrimSpace(in.Label), Type: in.Type,
		Required: in.Required, Unique: in.Unique, Multiple: in.Multiple, Hidden: in.Hidden,
		Min: in.Min, Max: in.Max, Pattern: in.Pattern, Choices: in.Choices, Source: in.Source,
		Collection: in.Collection, Collections: in.Collections, Default: in.Default, Indexed: in.Indexed, Searchable: in.Searchable,
		Component: in.Component, Components: in.Components, Filterable: in.Filterable,
		Help: strings.TrimSpace(in.Help), PatternMessage: strings.TrimSpace(in.PatternMessage), Style: in.Style, Path: in.Path,
	}
	f.Multiple = f.Multiple || f.Type == core.TypeBlocks
	if f.Type == core.TypeSlug && f.Style == slug.ASCII {
		f.Style = "" // the default
	}
	if f.Label == "" {
		f.Label = f.Name
	}
	return f
}

// check checks every field. only is as in definition.
func (d *definition) check(only int) {
	d.only = only
	d.components.Bind(d.Collection)
	if len(d.Fields) > maxFields {
		d.faults.Add("fields", nil, "must have at most "+strconv.Itoa(maxFields)+" elements")
		return
	}
	for i, f := range d.Fields {
		c := fieldChecker{definition: d, Field: f, index: i}
		c.check()
	}
}

// fieldChecker checks one field of a definition.
type fieldChecker struct {
	*definition
	*core.Field
	kind   *fieldtype.Type
	index  int
	faulty bool
}

func (c *fieldChecker) fault(option string, value any, message string) {
	c.faulty = true
	c.faults.Add(c.at(c.index)+option, value, message)
}

func (c *fieldChecker) check() {
	c.checkName()
	if c.kind = fieldtype.Of(c.Type); c.kind == nil {
		c.fault("type", core.Clip(string(c.Type)), "is not a field type")
		return
	}
	c.checkShape()
	c.checkBounds()
	c.checkPattern()
	c.checkChoices()
	c.checkSource()
	c.checkStyle()
	c.checkTarget()
	c.checkComponents()
	c.checkInside()
	c.checkIndex()
	c.checkDefault()
}

func (c *fieldChecker) checkName() {
	name := c.Field.Name
	switch {
	case !fieldName.MatchString(name) || len(name) > maxName:
		c.fault("name", core.Clip(name), "must start with a-z and go on with letters, digits and _, at most 63 characters")
	case core.SystemField(name) != nil || name == "collection":
		c.fault("name", name, "is reserved")
	case slices.IndexFunc(c.Fields, func(f *core.Field) bool { return f.Name == name }) < c.index:
		c.fault("name", name, "is the name of another field")
	}
	if message := lineFault(c.Label, maxLabel); message != "" {
		c.fault("label", core.Clip(c.Label), message)
	}
	if message := plainFault(c.Help, maxHelp); message != "" {
		c.fault("help", core.Clip(c.Help), message)
	}
}

func (c *fieldChecker) checkShape() {
	if c.Unique && (c.Multiple || !c.kind.Unique) {
		types := fieldtype.Names(func(t *fieldtype.Type) bool { return t.Unique })
		c.fault("unique", true, "is for single values of these types: "+core.Joined(types))
	}
	if c.Multiple && c.kind.SingleOnly {
		c.fault("multiple", true, "is not for the type "+string(c.Type))
	}
}

func (c *fieldChecker) checkBounds() {
	counts := c.Multiple || c.kind.Length
	for _, one := range []struct {
		option string
		bound  *float64
	}{{"min", c.Min}, {"max", c.Max}} {
		option, bound := one.option, one.bound
		switch {
		case bound == nil:
		case math.IsNaN(*bound) || math.IsInf(*bound, 0):
			c.fault(option, nil, "must be a number")
		case !counts && c.Type != core.TypeNumber:
			c.fault(option, *bound, "has no meaning for this type")
		case counts && (*bound < 0 || *bound != math.Trunc(*bound) || *bound > math.MaxInt32):
			c.fault(option, *bound, "must be a whole number that is not negative")
		case c.Multiple && *bound > float64(validation.MaxOf(c.Field)):
			c.fault(option, *bound, "must be at most "+strconv.Itoa(validation.MaxOf(c.Field)))
		case option == "min" && !c.Multiple && c.kind.MaxBytes > 0 && *bound > float64(c.kind.MaxBytes):
			c.fault(option, *bound, "must be at most "+strconv.Itoa(c.kind.MaxBytes))
		}
	}
	if c.Min != nil && c.Max != nil && *c.Min > *c.Max {
		c.fault("min", *c.Min, "must not be over max")
	}
}

func (c *fieldChecker) checkPattern() {
	if message := plainFault(c.PatternMessage, maxHelp); message != "" {
		c.fault("patternMessage", core.Clip(c.PatternMessage), message)
	}
	if c.Pattern == "" {
		if c.PatternMessage != "" {
			c.fault("patternMessage", core.Clip(c.PatternMessage), "goes with pattern")
		}
		return
	}
	if !c.kind.Length {
		c.fault("pattern", nil, "has no meaning for this type")
		return
	}
	message := plainFault(c.Pattern, maxPattern)
	if message == "" {
		if _, err := fieldtype.CompilePattern(c.Pattern); err != nil {
			message = "is not an RE2 expression"
		}
	}
	if message != "" {
		c.fault("pattern", core.Clip(c.Pattern), message)
	}
}

func (c *fieldChecker) checkChoices() {
	switch {
	case c.Type != core.TypeEnumeration && len(c.Choices) > 0:
		c.fault("choices", nil, "are for enumerations")
	case c.Type == core.TypeEnumeration && len(c.Choices) == 0:
		c.fault("choices", nil, "are required")
	case len(c.Choices) > maxChoices:
		c.fault("choices", nil, "must have at most "+strconv.Itoa(maxChoices)+" elements")
	}
	for i, choice := range c.Choices[:min(len(c.Choices), maxChoices)] {
		option := "choices[" + strconv.Itoa(i) + "]"
		message := lineFault(choice, maxLabel)
		if message == "" {
			_, message = fieldtype.Of(core.TypeEnumeration).Check(canonical.Quote(choice))
		}
		switch {
		case choice == "":
			c.fault(option, choice, "must not be empty")
		case message != "":
			c.fault(option, core.Clip(choice), message)
		case slices.Index(c.Choices, choice) < i:
			c.fault(option, choice, "is named twice")
		}
	}
}

func (c *fieldChecker) checkSource() {
	if c.Source == "" {
		return
	}
	if c.Type != core.TypeSlug || c.Multiple {
		c.fault("source", core.Clip(c.Source), "is for single slugs")
		return
	}
	source := c.definition.Field(c.Source)
	switch {
	case source == nil || source.Type != core.TypeText || source.Multiple:
		c.fault("source", core.Clip(c.Source), "must name a single text field")
	case source.Hidden && !c.Hidden:
		c.fault("source", c.Source, "must not be hidden, for the slug would show it")
	}
}

func (c *fieldChecker) checkStyle() {
	switch {
	case c.Type != core.TypeSlug && c.Style != "":
		c.fault("style", core.Clip(string(c.Style)), "is for slugs")
	case c.Style != "" && !slices.Contains(slug.Styles, string(c.Style)):
		c.fault("style", core.Clip(string(c.Style)), "must be one of: "+strings.Join(slug.Styles, ", "))
	}
	if c.Type != core.TypeSlug && c.Path {
		c.fault("path", c.Path, "is for slugs")
	}
}

func (c *fieldChecker) checkTarget() {
	target, several := c.Field.Collection, c.Field.Collections
	switch relation := c.Type == core.TypeRelation; {
	case !relation && target != "":
		c.fault("collection", core.Clip(target), "is for relations")
	case !relation && len(several) > 0:
		c.fault("collections", nil, "are for relations")
	case !relation:
	case target == "" && len(several) == 0:
		c.fault("collection", nil, "is required, or collections")
	case target != "" && len(several) > 0:
		c.fault("collections", nil, "cannot be given with collection: a relation has one of them")
	case len(several) > maxTargets:
		c.fault("collections", nil, "must have at most "+strconv.Itoa(maxTargets)+" elements")
	case len(several) > 0:
		c.checkTargets(several)
	case !c.exists(target):
		c.fault("collection", core.Clip(target), "no such collection")
	}
}

// checkTargets checks the collections of a relation to several.
func (c *fieldChecker) checkTargets(slugs []string) {
	for i, slug := range slugs {
		option := "collections[" + strconv.Itoa(i) + "]"
		switch {
		case !c.exists(slug):
			c.fault(option, core.Clip(slug), "no such collection")
		case slices.Index(slugs, slug) < i:
			c.fault(option, slug, "is named twice")
		}
	}
}

// exists reports whether the Project has a collection of that slug, or a collection of that slug is being
// defined.
func (d *definition) exists(slug string) bool {
	return slug == d.Slug && !d.component || slices.ContainsFunc(d.others, func(o *core.Collection) bool { return o.Slug == slug })
}

// checkComponents checks the components of a field with items.
func (c *fieldChecker) checkComponents() {
	option, named := "component", []string{c.Component}
	if c.Type == core.TypeBlocks {
		option, named = "components", c.Components
	}
	switch {
	case c.Type != core.TypeGroup && c.Component != "":
		c.fault("component", core.Clip(c.Component), "is for the type group")
		return
	case c.Type != core.TypeBlocks && len(c.Components) > 0:
		c.fault("components", nil, "are for the type blocks")
		return
	case !c.Structured():
		return
	case len(named) == 0 || named[0] == "":
		c.fault(option, nil, "is required")
		return
	case len(named) > maxComponents:
		c.fault(option, nil, "must have at most "+strconv.Itoa(maxComponents)+" elements")
		return
	}
	for i, slug := range named {
		at := option
		if c.Type == core.TypeBlocks {
			at += "[" + strconv.Itoa(i) + "]"
		}
		itself := c.component && slug == c.Slug
		switch {
		case c.components[slug] == nil && !itself:
			c.fault(at, core.Clip(slug), "no such component")
		case slices.Index(named, slug) < i:
			c.fault(at, slug, "is named twice")
		}
	}
}

// checkInside refuses what a field of a component cannot have.
func (c *fieldChecker) checkInside() {
	if !c.component {
		return
	}
	const message = "is not for fields of components"
	if c.Hidden {
		c.fault("hidden", true, message)
	}
	if c.Unique {
		c.fault("unique", true, message)
	}
	if c.kind.Secret {
		c.fault("type", string(c.Type), message)
	}
}

func (c *fieldChecker) checkIndex() {
	if c.Indexed != nil && *c.Indexed && !slottable(c.Field) && !c.Listed() {
		c.fault("indexed", true, "is for values that compare")
	}
	switch {
	case c.Filterable && !c.component:
		c.fault("filterable", true, "is for fields of components")
	case c.Filterable && !c.Comparable():
		c.fault("filterable", true, "is for values that compare")
	}
	if c.Searchable && c.Kind() != fieldtype.Text {
		c.fault("searchable", true, "is for texts")
	}
}

// checkDefault makes the default canonical. It runs last, and only without other faults, which
// it would report again.
func (c *fieldChecker) checkDefault() {
	if raw := strings.TrimSpace(string(c.Default)); raw == "" || raw == "null" {
		c.Default = nil
	}
	if c.Default == nil || c.faulty {
		return
	}
	if c.Unique || c.Kind() == fieldtype.Reference || c.kind.Secret || c.Structured() {
		c.fault("default", nil, "is not for unique fields, relations, media, passwords, groups and blocks")
		return
	}
	var found core.Faults
	value := validation.Canonical(c.Field, c.Default, &found)
	// A default gives new entries its value without a response that lists what was removed.
	for _, removed := range validation.Removed(c.Field, c.Default, value) {
		c.fault("default", nil, "has markup that is not kept: "+strings.Join(removed.Removed, ", "))
	}
	refers := false
	if value != nil && c.Field.HasLinks() {
		c.Field.EditLinks(value, func(_ string, l *core.Link) { refers = refers || l.Target != core.ToFile && l.ID != 0 })
	}
	if refers {
		c.fault("default", nil, "must not show media or refer to entries, which may be deleted")
	}
	c.Default = value
	if c.Field.Missing(value) {
		c.Default = nil
	} else {
		validation.Field(c.Field, value, &found)
	}
	for _, f := range found.List {
		c.fault("default"+strings.TrimPrefix(f.Location, core.FieldLocation(c.Field.Name)), f.Value, f.Message)
	}
}

// lineFault is plainFault for a text of one line.
func lineFault(text string, limit int) string {
	if strings.ContainsFunc(text, words.Control) {
		return "must be text without control characters"
	}
	return plainFault(text, limit)
}

// plainFault returns the fault of a text of a definition, "" for none. limit is in characters.
func plainFault(text string, limit int) string {
	switch {
	case !core.ValidText(text):
		return "is not valid text"
	case utf8.RuneCountInString(text) > limit:
		return "must have at most " + strconv.Itoa(limit) + " characters"
	}
	return ""
}
