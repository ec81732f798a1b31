// Package words has the forms of a text by which the product compares texts:
//
//   - [Fold], the folded form, which ignores accents and case;
//   - [Key], by whose bytes texts are ordered: by the folded form, then by code point;
//   - [Caseless], which the operator "like" and other searches for a part of a text compare.
//
// Memory, SQLite and Postgres order texts by the same keys, so that no collation of an engine has
// an effect. The forms depend on the tables of Unicode that the program was built with. Indexes
// store them: [Version] tells whether an index has other forms than the program.
package words
