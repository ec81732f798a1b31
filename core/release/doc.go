// Package release has releases: sets of entries that are reviewed, published and unpublished together.
//
// A Release has Members and a State. Package core/releasing has its use cases. The review of a release is a
// review.Request.
package release
