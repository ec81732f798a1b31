// Package releasing has the use cases of releases: sets of entries of a Project that are published and unpublished
// together. Releases changes and shows them and their members.
//
// An open release holds no content, only which entries it has and whether it publishes their draft or a past
// publication. A submission seals the members (sealer), checks them together (check), and hands them to package
// approval if a workflow governs the Project, or else to package publishing. Read releases.go next.
package releasing
