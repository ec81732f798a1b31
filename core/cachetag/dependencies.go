package cachetag

import "slices"

// DependencyKind is the kind of thing that a response depends on.
type DependencyKind byte

// The kinds. They are part of cache tags.
const (
	OnProject    DependencyKind = 'p'
	OnEntry      DependencyKind = 'e'
	OnGroup      DependencyKind = 'g' // a translation group
	OnMedium     DependencyKind = 'm'
	OnCollection DependencyKind = 'c'
	OnLibrary    DependencyKind = 'l'
)

// Dependency is one thing that a response depends on, in its Project.
type Dependency struct {
	Kind DependencyKind
	ID   int64  // of an entry, a group or a medium
	Slug string // of a collection
}

// MaxDependencies is the largest number of dependencies with which a response names each thing that it
// shows.
const MaxDependencies = 45

// Dependencies are what a response with published content depends on. The zero value is the Project
// alone. A nil value ignores additions. It is for one goroutine.
type Dependencies struct {
	things []Dependency
	many   bool // there are more than MaxDependencies
	// collections are the slugs of the collections that the response answers or names.
	collections []string
}

func (s *Dependencies) add(d Dependency) {
	if s == nil || s.many || slices.Contains(s.things, d) {
		return
	}
	if s.many = len(s.things) == MaxDependencies-1; !s.many { // one more is the Project
		s.things = append(s.things, d)
	}
}

// Many reports whether more things are not added.
func (s *Dependencies) Many() bool { return s == nil || s.many }

// Entry adds an entry that the response answers, and its translation group; 0: it is not known.
func (s *Dependencies) Entry(id, groupID int64) {
	s.add(Dependency{Kind: OnEntry, ID: id})
	if groupID != 0 {
		s.Group(groupID)
	}
}

// Group adds a translation group of which the response names a member, shown or not.
func (s *Dependencies) Group(id int64) { s.add(Dependency{Kind: OnGroup, ID: id}) }

// Medium adds a media item that the response shows as it is in the library.
func (s *Dependencies) Medium(id int64) { s.add(Dependency{Kind: OnMedium, ID: id}) }

// Library adds the whole library.
func (s *Dependencies) Library() { s.add(Dependency{Kind: OnLibrary}) }

// List adds a collection of which the response lists entries, or by whose entries it chooses them.
func (s *Dependencies) List(slug string) {
	s.add(Dependency{Kind: OnCollection, Slug: slug})
	s.Of(slug)
}

// Of says that the response answers or names entries of a collection.
func (s *Dependencies) Of(slug string) {
	if s != nil && !slices.Contains(s.collections, slug) {
		s.collections = append(s.collections, slug)
	}
}

// Join adds what another response depends on.
func (s *Dependencies) Join(other *Dependencies) {
	if s == nil || other == nil {
		return
	}
	for _, d := range other.things {
		s.add(d)
	}
	s.many = s.many || other.many
	for _, slug := range other.collections {
		s.Of(slug)
	}
}

// All returns the dependencies: the Project, then each thing. If these are more than MaxDependencies, it
// returns the Project, the collections and the library.
func (s *Dependencies) All() []Dependency {
	all := []Dependency{{Kind: OnProject}}
	if !s.many {
		return append(all, s.things...)
	}
	for _, slug := range s.collections {
		all = append(all, Dependency{Kind: OnCollection, Slug: slug})
	}
	return append(all, Dependency{Kind: OnLibrary})
}
