// Package discussion has the comments on approval requests: their places in the content, answers, mentions of users,
// and the hash by which an action names what was said before it.
//
// Package core/comments has the use cases.
package discussion
