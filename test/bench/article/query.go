package article

// Query is a question that readers of a site ask, told in the form of each server
// that is compared.
type Query struct{ Name, Title string }

// Queries are what the benches ask.
var Queries = []Query{
	{"Q1", "newest 20"},
	{"Q2", "filter + sort"},
	{"Q3", "one by id"},
	{"Q4", "newest 20 + total"},
	{"Q5", "offset 50,000"},
	{"Q6", "title contains"},
}
