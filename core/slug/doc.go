// Package slug says which texts are slugs, and derives slugs from other texts. Entries, their editors
// and the dashboard follow this one rule.
package slug
