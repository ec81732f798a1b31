// Package review has the words of approval: workflows and their steps, requests and their items, the actions that are
// recorded on a request, and the rules that say who may decide what.
//
// A Workflow has Steps. A Request is one attempt to publish its RequestItems through the steps; each Action on it
// is a record, with a Signature where the step needs one. Standing says what an actor may do with a request, and InboxQuery
// selects the requests that wait for a user. The rules are pure; core/approval applies them in transactions.
package review
