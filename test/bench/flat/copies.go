package flat

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imprimatur/adapters/sqlstore"
	"imprimatur/adapters/sqlstore/entryindex"
)

// copies describes the copy of all entries of one collection, with ids increased by shift.
type copies struct {
	from, project, to int64 // source collection, target project and target collection
	shift             int64
	targets           int64 // increase of the ids in relations
	block             int   // block number, which determines stock numbers, views, days and times
}

// copyTables lists the tables of entries. Counters and buckets are computed instead.
var copyTables = []string{"entries", "entry_index", "entry_values", "entry_texts", "entry_words", "entry_claims"}

// copy copies the entries of s as described by all, except those in skip, without the
// program. The tables then hold the same rows as after writes of the program.
func (d *database) copy(ctx context.Context, s *site, all []copies, skip []int64) error {
	for _, statement := range []string{
		"CREATE TEMPORARY TABLE copies (source bigint, project bigint, target bigint, shift bigint, targets bigint, block bigint)",
		// The values that change in documents, by entry.
		"CREATE TEMPORARY TABLE values_of (id bigint PRIMARY KEY, stock bigint, views bigint, day bigint, author bigint, desk bigint)",
		// The beginnings of lexemes in other collections, by the scope that is copied.
		"CREATE TEMPORARY TABLE lexemes_of (scope bigint, target bigint, was text, becomes text)",
	} {
		if err := d.exec(ctx, statement); err != nil {
			return err
		}
	}
	rows := make([]string, len(all))
	for i, c := range all {
		rows[i] = fmt.Sprintf("(%d, %d, %d, %d, %d, %d)", c.from, c.project, c.to, c.shift, c.targets, c.block)
	}
	statements := []string{"INSERT INTO copies VALUES " + strings.Join(rows, ", "), valuesOf(s), desksOf(s)}
	if lexemes := lexemesOf(s, all); len(lexemes) > 0 {
		statements = append(statements, "INSERT INTO lexemes_of VALUES "+strings.Join(lexemes, ", "))
	}
	for _, table := range copyTables {
		columns, err := d.columns(ctx, table)
		if err != nil {
			return err
		}
		statements = append(statements, copyTable(s, d.engine, table, columns, skip))
	}
	targets := make([]string, len(all))
	for i, c := range all {
		targets[i] = strconv.FormatInt(c.to, 10)
	}
	copied := " IN (" + strings.Join(targets, ", ") + ")"
	statements = append(statements, d.engine.keepIDs(), "DELETE FROM entry_counters WHERE collection_id"+copied, "DELETE FROM entry_buckets WHERE scope / 256"+copied)
	statements = append(statements, sqlstore.Recounts("collection_id"+copied)...)
	statements = append(statements, "DROP TABLE copies", "DROP TABLE values_of", "DROP TABLE lexemes_of")
	return d.transaction(ctx, statements)
}

// copyTable returns the statement that copies one table.
func copyTable(s *site, e engine, table string, columns []string, skip []int64) string {
	id, into, joined := "entry_id", table, ""
	changed := map[string]string{
		"project_id": "c.project", "collection_id": "c.target", "entry_id": "s.entry_id + c.shift", "group_id": "s.group_id + c.shift",
		"ref": "s.ref + c.targets", "scope": copiedScope,
	}
	for _, at := range []string{"published_at", "created_at", "updated_at", "released_at"} {
		changed[at] = "s." + at + " + c.block * 1000000" // after all of the block before
	}
	slot := func(name string) string { return s.articles.Field(name).Slot }
	ofArticle := func(is, isNot string) string {
		return "CASE WHEN s.collection_id = " + strconv.FormatInt(s.articles.ID, 10) + " THEN " + is + " ELSE " + isNot + " END"
	}
	switch table {
	case "entries":
		id = "id"
		changed["id"] = "s.id + c.shift"
		joined = " LEFT JOIN values_of o ON o.id = s.id"
		for _, document := range []string{"draft", "published"} {
			text := changeMember("s."+document, "stock", "o.stock", copiedStock("o.stock"))
			text = changeMember(text, "views", "o.views", copiedViews("o.views"))
			text = changeMember(text, "publishedOn", `'"' || `+e.date("o.day"), `'"' || `+e.date(copiedDay("o.day")))
			text = changeMember(text, "author", "o.author", "(o.author + c.targets)")
			ofOther := "CASE WHEN o.desk IS NULL THEN s." + document + " ELSE " + changeMember("s."+document, "desk", "o.desk", "(o.desk + c.targets)") + " END"
			changed[document] = ofArticle(text, ofOther)
		}
	case "entry_index":
		for name, copied := range map[string]func(string) string{"stock": copiedStock, "views": copiedViews, "publishedOn": copiedDay} {
			column := "s." + slot(name)
			changed[slot(name)] = ofArticle(copied(column), column)
		}
	case "entry_words":
		var words string
		into, joined, words = e.words()
		joined += " LEFT JOIN lexemes_of l ON l.scope = s.scope AND l.target = c.target"
		columns = append(slices.DeleteFunc(columns, func(column string) bool { return column == "words" }), "words")
		changed["moment"] = copiedMoment
		changed["words"] = words
	case "entry_texts":
		columns = slices.DeleteFunc(columns, func(column string) bool { return column == "id" }) // assigned by the database
	}
	values := make([]string, len(columns))
	for i, column := range columns {
		values[i] = "s." + column
		if value, ok := changed[column]; ok {
			values[i] = value
		}
	}
	text := "INSERT INTO " + into + " (" + strings.Join(columns, ", ") + ") SELECT " + strings.Join(values, ", ") +
		" FROM copies c CROSS JOIN " + table + " s" + joined +
		" WHERE s.project_id = " + strconv.FormatInt(s.project.ID, 10) + " AND s.collection_id = c.source AND s." + id + " <= " + strconv.FormatInt(s.last, 10)
	if len(skip) > 0 {
		text += " AND s." + id + " NOT IN (" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(skip)), ", "), "[]") + ")"
	}
	return text
}

// lexemesOf returns the rows of lexemes_of for the copies into other collections.
func lexemesOf(s *site, all []copies) (rows []string) {
	for _, c := range all {
		if c.from == c.to {
			continue
		}
		for _, shelf := range []entryindex.Shelf{entryindex.Published, entryindex.Draft, entryindex.Changes} {
			for locale := range s.project.Locales {
				was, becomes := entryindex.Scope(c.from, shelf, locale), entryindex.Scope(c.to, shelf, locale)
				rows = append(rows, fmt.Sprintf("(%d, %d, '%s', '%s')", was, c.to, entryindex.LexemesOf(was, 0), entryindex.LexemesOf(becomes, 0)))
			}
		}
	}
	return rows
}

// valuesOf returns the statement that reads the values of the first block's articles.
func valuesOf(s *site) string {
	slot := func(name string) string { return "i." + s.articles.Field(name).Slot }
	return fmt.Sprintf("INSERT INTO values_of (id, stock, views, day, author) SELECT i.entry_id, %s, %s, %s,"+
		" (SELECT v.ref FROM entry_values v WHERE v.project_id = i.project_id AND v.collection_id = i.collection_id AND v.entry_id = i.entry_id AND v.ref IS NOT NULL)"+
		" FROM entry_index i WHERE i.project_id = %d AND i.scope IN (%[5]d * 256, %[5]d * 256 + 1) AND i.entry_id <= %d",
		whole(slot("stock")), whole(slot("views")), slot("publishedOn"), s.project.ID, s.articles.ID, s.last)
}

// desksOf returns the statement that reads the desks of the authors.
func desksOf(s *site) string {
	return fmt.Sprintf("INSERT INTO values_of (id, desk) SELECT DISTINCT v.entry_id, v.ref FROM entry_values v"+
		" WHERE v.project_id = %d AND v.collection_id = %d AND v.ref IS NOT NULL AND v.entry_id <= %d", s.project.ID, s.authors.ID, s.last)
}

// changeMember returns an SQL expression that replaces the value of a document's member.
func changeMember(document, name, from, to string) string {
	member := `'"` + name + `":' || `
	return "replace(" + document + ", " + member + from + ", " + member + to + ")"
}

// Expressions of the copies' rows.
const (
	copiedScope  = "s.scope + (c.target - c.source) * 256"
	copiedMoment = "s.moment + c.block * 1000"
)

// Expressions of the copies' values, computed from slots of the first block.

func whole(number string) string { return "CAST(" + number + " AS bigint)" }

func copiedStock(stock string) string {
	return fmt.Sprintf("(%s + c.block * %d)", whole(stock), stockStep)
}

func copiedViews(views string) string {
	return fmt.Sprintf("((%s + c.block * %d) %% %d)", whole(views), viewsStep, maxViews)
}

func copiedDay(day string) string {
	const length = 24 * 60 * 60 * 1000
	first := firstDay.UnixMilli()
	return fmt.Sprintf("(%d + ((%s - %d) / %d + c.block * %d) %% %d * %d)", first, day, first, length, dayStep, days, length)
}

// grow increases the articles of s from have to want blocks.
func (d *database) grow(ctx context.Context, s *site, have, want int) error {
	var all []copies
	for block := have; block < want; block++ {
		all = append(all, copies{from: s.articles.ID, project: s.project.ID, to: s.articles.ID, shift: int64(block) * s.last, block: block})
	}
	return d.copyAll(ctx, s, all, s.rare)
}

// copyAll runs copy for many copies in several transactions.
func (d *database) copyAll(ctx context.Context, s *site, all []copies, skip []int64) error {
	return d.withoutIndexes(ctx, s, func() error {
		for _, statement := range d.engine.readWords() {
			if err := d.exec(ctx, statement); err != nil {
				return err
			}
		}
		for some := range slices.Chunk(all, 10) {
			if err := d.copy(ctx, s, some, skip); err != nil {
				return err
			}
		}
		return nil
	})
}

// spread copies the site until count collections of articles exist, all in its project, or
// each in a project of its own.
func (d *database) spread(ctx context.Context, p *program, s *site, count int, projects bool) error {
	var all []copies
	for n := 1; n < count; n++ {
		shift := int64(n) * s.last
		if !projects {
			c, err := p.articles(ctx, s.project, fmt.Sprintf("articles-%04d", n))
			if err != nil {
				return err
			}
			all = append(all, copies{from: s.articles.ID, project: s.project.ID, to: c.ID, shift: shift})
			continue
		}
		other, err := p.open(ctx, fmt.Sprintf("Wire %04d", n))
		if err != nil {
			return err
		}
		all = append(all,
			copies{from: s.desks.ID, project: other.project.ID, to: other.desks.ID, shift: shift},
			copies{from: s.authors.ID, project: other.project.ID, to: other.authors.ID, shift: shift, targets: shift},
			copies{from: s.articles.ID, project: other.project.ID, to: other.articles.ID, shift: shift, targets: shift})
	}
	return d.copyAll(ctx, s, all, nil)
}
