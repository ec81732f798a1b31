// Package schedule has the times at which entries are published and unpublished: what is due, what took place, and the
// period of a publication.
package schedule
