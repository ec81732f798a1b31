package schema

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/definition"
)

// rename gives the stored definitions the slugs of the file. One that the file removes gets another slug until then, if
// the file has its slug.
func (r *run) rename(ctx context.Context) error {
	before := r.before.file()
	r.slugs = before.slugs()
	maps.Copy(r.slugs, r.file.slugs())
	var slugs definition.Slugs
	var found core.Faults
	for i, list := range before.kinds() {
		next := r.renamed(list.name, *list.of, *r.file.kinds()[i].of, &found)
		if list.name == componentKind {
			slugs.Components = next
		} else {
			slugs.Collections = next
		}
	}
	if err := found.Err(); err != nil {
		return err
	}
	return r.definitions.Rename(ctx, r.actor, r.project, slugs)
}

// renamed returns the new slugs of definitions of one kind by the former ones. from are the stored definitions.
func (r *run) renamed(kind string, from, to []definition.CollectionInput, found *core.Faults) map[string]string {
	slugs, taken := map[string]string{}, map[string]bool{}
	for _, in := range slices.Concat(from, to) {
		taken[in.Slug] = true
	}
	for i, old := range from {
		wanted := slices.ContainsFunc(to, func(in definition.CollectionInput) bool { return in.Slug == old.Slug })
		if wanted && byKey(to, KeyOf(old)) == nil {
			slug := "removed-" + strconv.Itoa(i+1)
			for taken[slug] {
				slug += "-x"
			}
			slugs[old.Slug], r.slugs[kind+"."+KeyOf(old)], taken[slug] = slug, slug, true
		}
	}
	for i, in := range to {
		old := byKey(from, KeyOf(in))
		if old == nil || old.Slug == in.Slug {
			continue
		}
		slugs[old.Slug] = in.Slug
		if message := definition.SlugFault(in.Slug); message != "" {
			found.Add(at(kind, i)+"slug", core.Clip(in.Slug), message)
		}
	}
	return slugs
}

// define makes the stored definitions, which have their slugs, those of the file: it creates new ones, changes the
// others, and then removes those that the file does not have.
func (r *run) define(ctx context.Context) error {
	late, err := r.create(ctx)
	if err != nil {
		return err
	}
	stored, err := load(ctx, r.stores, r.project.ID)
	if err != nil {
		return err
	}
	was := r.before.file()
	for i, in := range r.file.Components {
		old := byKey(was.Components, KeyOf(in))
		if old != nil && !same(*old, in) || late[componentKind+"."+KeyOf(in)] {
			if _, err := r.definitions.Components().Reshape(ctx, r.ofComponent(stored.component(KeyOf(in)).ID), r.input(in)); err != nil {
				return core.Within(at(componentKind, i), err)
			}
		}
	}
	for i, in := range r.file.Collections {
		old := byKey(was.Collections, KeyOf(in))
		if old != nil && !same(*old, in) || late[collectionKind+"."+KeyOf(in)] {
			if _, err := r.definitions.Reshape(ctx, r.ofCollection(stored.collection(KeyOf(in)).ID), r.input(in)); err != nil {
				return core.Within(at(collectionKind, i), err)
			}
		}
	}
	return r.remove(ctx)
}

// input returns a definition of the file as definition.Collections takes it: its fields name others by their slugs.
func (r *run) input(in definition.CollectionInput) definition.CollectionInput {
	in.Fields = r.slugs.in(in.Fields)
	return in
}

func at(kind string, i int) string { return kind + "[" + strconv.Itoa(i) + "]." }

// same reports whether two definitions have the same text.
func same(a, b definition.CollectionInput) bool {
	file := func(in definition.CollectionInput) []byte {
		return File{Collections: []definition.CollectionInput{in}}.Text()
	}
	return bytes.Equal(file(a), file(b))
}

func (r *run) ofComponent(id int64) definition.ComponentChange {
	return definition.ComponentChange{Actor: r.actor, Project: r.project, ComponentID: id, Acknowledged: true}
}

func (r *run) ofCollection(id int64) definition.Change {
	return definition.Change{Actor: r.actor, Project: r.project, CollectionID: id, Acknowledged: true}
}

// made is a new definition of the file.
type made struct {
	kind  string
	index int
	definition.CollectionInput
}

func (m made) path() string { return m.kind + "." + KeyOf(m.CollectionInput) }

// create adds the definitions that are new, each after those that its fields name. Where they name each
// other, one is created without fields: late has the paths of these, which need their fields.
func (r *run) create(ctx context.Context) (late map[string]bool, err error) {
	exists, late := map[string]bool{}, map[string]bool{}
	for _, c := range r.before.components {
		exists[componentKind+"."+c.Key()] = true
	}
	for _, c := range r.before.collections {
		exists[collectionKind+"."+c.Key()] = true
	}
	var waiting []made
	for i, in := range r.file.Components {
		waiting = append(waiting, made{componentKind, i, in})
	}
	for i, in := range r.file.Collections {
		waiting = append(waiting, made{collectionKind, i, in})
	}
	waiting = slices.DeleteFunc(waiting, func(m made) bool { return exists[m.path()] })
	coming := map[string]bool{}
	for _, m := range waiting {
		coming[m.path()] = true
	}
	for len(waiting) > 0 {
		next := slices.IndexFunc(waiting, func(m made) bool {
			return !slices.ContainsFunc(named(m.Fields), func(path string) bool { return path != m.path() && coming[path] && !exists[path] })
		})
		m := waiting[max(next, 0)]
		if next < 0 {
			late[m.path()] = true
			m.Fields, m.PreviewURL = nil, "" // which may name one of them
		}
		if err := r.add(ctx, m); err != nil {
			return nil, core.Within(at(m.kind, m.index), err)
		}
		exists[m.path()] = true
		waiting = slices.DeleteFunc(waiting, func(other made) bool { return other.path() == m.path() })
	}
	return late, nil
}

func (r *run) add(ctx context.Context, m made) (err error) {
	if m.kind == componentKind {
		_, err = r.definitions.Components().Create(ctx, r.actor, r.project, r.input(m.CollectionInput))
	} else {
		_, err = r.definitions.Create(ctx, r.actor, r.project, r.input(m.CollectionInput))
	}
	if m.Key != "" {
		return err
	}
	return atKey(err)
}

// atKey returns err with the location of the key, which definitions call slug if both are the same.
func atKey(err error) error {
	return core.EditFields(err, func(f *core.FieldError) {
		if f.Location == "slug" {
			f.Location = "key"
		}
	})
}

// named returns the paths of the definitions that fields name.
func named(fields []definition.FieldInput) (paths []string) {
	for _, f := range fields {
		for _, key := range slices.Concat([]string{f.Collection}, f.Collections) {
			paths = append(paths, collectionKind+"."+key)
		}
		for _, key := range slices.Concat([]string{f.Component}, f.Components) {
			paths = append(paths, componentKind+"."+key)
		}
	}
	return paths
}

// remove deletes the definitions that the file does not have, each after those whose fields name it. Where they
// name each other, the fields of one are removed first.
func (r *run) remove(ctx context.Context) error {
	var waiting []made
	stored := r.before.file()
	for _, in := range stored.Components {
		if byKey(r.file.Components, KeyOf(in)) == nil {
			waiting = append(waiting, made{kind: componentKind, CollectionInput: in})
		}
	}
	for _, in := range stored.Collections {
		if byKey(r.file.Collections, KeyOf(in)) == nil {
			waiting = append(waiting, made{kind: collectionKind, CollectionInput: in})
		}
	}
	for len(waiting) > 0 {
		next := slices.IndexFunc(waiting, func(m made) bool {
			return !slices.ContainsFunc(waiting, func(other made) bool {
				return other.path() != m.path() && slices.Contains(named(other.Fields), m.path())
			})
		})
		if next < 0 {
			full := slices.IndexFunc(waiting, func(m made) bool { return len(m.Fields) > 0 })
			waiting[full].Fields, waiting[full].PreviewURL = nil, ""
			if err := r.strip(ctx, waiting[full]); err != nil {
				return err
			}
			continue
		}
		if err := r.drop(ctx, waiting[next]); err != nil {
			return err
		}
		waiting = slices.Delete(waiting, next, next+1)
	}
	return nil
}

// strip removes the fields of a definition.
func (r *run) strip(ctx context.Context, m made) (err error) {
	if m.kind == componentKind {
		_, err = r.definitions.Components().Reshape(ctx, r.ofComponent(r.before.component(KeyOf(m.CollectionInput)).ID), r.input(m.CollectionInput))
	} else {
		_, err = r.definitions.Reshape(ctx, r.ofCollection(r.before.collection(KeyOf(m.CollectionInput)).ID), r.input(m.CollectionInput))
	}
	return err
}

// drop deletes a definition.
func (r *run) drop(ctx context.Context, m made) error {
	if m.kind == componentKind {
		return r.definitions.Components().Delete(ctx, r.ofComponent(r.before.component(KeyOf(m.CollectionInput)).ID))
	}
	return r.definitions.Delete(ctx, r.ofCollection(r.before.collection(KeyOf(m.CollectionInput)).ID))
}
