// Package assistant has the limits of assistants, and the runs into which their changes are grouped for review.
//
// The assistant itself is core.Assistant. It acts for a user, see core.Actor.
package assistant
