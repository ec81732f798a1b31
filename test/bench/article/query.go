package article

// Query is a typical read of a web site, which each server expresses in its own form.
type Query struct{ Name, Title string }

// Queries lists the reads of the benchmarks.
var Queries = []Query{
	{"Q1", "newest 20"},
	{"Q2", "filter + sort"},
	{"Q3", "one by id"},
	{"Q4", "newest 20 + total"},
	{"Q5", "offset 50,000"},
	{"Q6", "title contains"},
}

// Related lists the reads that not each server and form has. Q7 reads reports, which are articles with an
// author, who has a desk.
var Related = []Query{
	{"Q7", "20 with relations, depth 2"},
	{"Q8", "after 50,000"},
	{"Q9", "search of two words"},
}

// Whole lists reads of parts of a site that are not a page of entries: a menu of categories, the translations of a page,
// and what refers to an author.
var Whole = []Query{
	{"Q10", "counts by category"},
	{"Q11", "20 with alternates"},
	{"Q12", "20 with referrers"},
}

// Hops lists the same page as Q7 with fewer targets, which shows what a hop costs.
var Hops = []Query{
	{"Q7.0", "20 with ids of relations"},
	{"Q7.1", "20 with relations, depth 1"},
}
