// Package approval is the review workflow: the workflows of Departments and Projects, the approval
// requests, their audit record and the scheduled publications.
//
// A workflow governs a Project: its own, or the workflow of its Department. In a governed Project
// an entry becomes public only as an item of a review.Request: a snapshot of the draft that one reviewer
// per step has approved. The main types are
//
//   - Requests, which implements ports.Approval: writes of content have it submit, reschedule and withdraw
//     inside their transaction.
//   - Reviews, which shows requests and applies decisions to them.
//   - Inbox, which lists the requests that wait for a user.
//   - Worker, which publishes and unpublishes due entries.
//   - Workflows, which stores the workflows.
//   - Exporter and Verify, which export and verify the audit record.
//
// Reviews.decide (decide.go) handles every decision: inside one transaction it reads everything
// again but the request, checks permission and staleness, and runs a transition (machine.go). A transition is
// pure: it returns the changed request and the actions to record. What becomes public or is
// scheduled by it is the work of a publishing.Set, which follows the request. audit.go chains the actions by
// hashes and verifies the chain; wire.go has the JSON of requests and audits.
//
// Read machine.go next: its table is the whole state machine.
package approval
