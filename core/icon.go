package core

// Icon is the name of the icon that the dashboard shows for a collection.
type Icon string

// DefaultIcon is the icon of a collection that is defined without one.
const DefaultIcon Icon = "article"

// Icons returns all icons, in the order of a menu.
func Icons() []Icon {
	return []Icon{
		DefaultIcon, "page", "list", "folder", "book", "quote", "message", "question", "notice", "mail",
		"person", "people", "building", "home", "place", "flag", "globe", "event", "picture", "video",
		"audio", "podcast", "product", "tag", "cart", "job", "award", "star", "heart", "food",
		"travel", "science", "law", "chart", "link", "settings",
	}
}
