package core

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Kind classifies an Error for the caller. Each transport maps the kinds to its own statuses
// in one table.
type Kind uint8

// The kinds of Error.
const (
	KindInternal           Kind = iota // a bug or a broken dependency; its text never leaves the process
	KindBadRequest                     // a malformed request or query
	KindInvalid                        // well formed, but its values break a rule
	KindUnauthenticated                // no credential, or not a valid one
	KindForbidden                      // the caller sees the thing but may not do this
	KindNotFound                       // does not exist, or the caller may not see it
	KindConflict                       // the state of the thing does not allow this
	KindPreconditionFailed             // the version the caller knows is not the current one
	KindTooLarge                       // over a stated size limit
	KindUnsupportedMedia               // a content type that is not accepted
	KindTooManyRequests                // over a rate limit; RetryAfter says when to come back
	KindUnavailable                    // a dependency is not available; retry later
	KindStorageFull                    // the disk is full
)

// Error is the error that ports and use cases return; any other error is a fault. Message is
// for the caller. Err, when set, is the cause for the log; it never leaves the process.
type Error struct {
	Kind       Kind
	Code       string // stable, snake_case
	Message    string
	Fields     []FieldError
	RetryAfter time.Duration
	Err        error
}

// FieldError is one fault at one place of the caller's input.
type FieldError struct {
	Location string // where: "fields.title", "where[views][lt]", "steps[2].stepOrder"
	Message  string
	Value    any // the offending value, when it is short and not a secret
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return e.Code + ": " + e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// Is lets errors.Is(err, ErrNotFound) hold for every error of that kind and code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && (t.Code == e.Code || t.Message == "")
}

// Sentinels to compare with errors.Is. They match any Error of their kind.
var (
	ErrNotFound     = &Error{Kind: KindNotFound}
	ErrConflict     = &Error{Kind: KindConflict}
	ErrInvalid      = &Error{Kind: KindInvalid}
	ErrPrecondition = &Error{Kind: KindPreconditionFailed}
	ErrUnavailable  = &Error{Kind: KindUnavailable}
)

// ErrChangedMeanwhile reports that another transaction changed the thing between the read
// and the write of this one. The caller reads it again and retries.
var ErrChangedMeanwhile = Conflict("changed_meanwhile", "another request is changing this at the same time; try again")

// ChangedMeanwhile returns ErrChangedMeanwhile when err is an ErrConflict of a store, and
// err itself otherwise.
func ChangedMeanwhile(err error) error {
	if errors.Is(err, ErrConflict) {
		return ErrChangedMeanwhile
	}
	return err
}

// Stale reports that the caller's If-Match is not the current version of the thing.
func Stale(thing string) *Error {
	return &Error{
		Kind: KindPreconditionFailed, Code: "precondition_failed",
		Message: "the " + thing + " has another version than the one given",
	}
}

// KindOf returns the kind of err; anything that is not an Error is internal.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return KindInternal
}

// NotFound reports that a thing does not exist. The message is the same when the caller may
// not see it.
func NotFound(thing string) *Error {
	return &Error{Kind: KindNotFound, Code: "not_found", Message: "no such " + thing}
}

// BadRequest reports a malformed request.
func BadRequest(code, format string, args ...any) *Error {
	return &Error{Kind: KindBadRequest, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid reports all values that break a rule.
func Invalid(fields ...FieldError) *Error {
	return &Error{Kind: KindInvalid, Code: "invalid", Message: "some values are not valid", Fields: fields}
}

// Within returns err with prefix added before the location of each of its Fields.
func Within(prefix string, err error) error {
	var fault *Error
	if prefix == "" || !errors.As(err, &fault) || len(fault.Fields) == 0 {
		return err
	}
	moved := *fault
	moved.Fields = slices.Clone(fault.Fields)
	for i := range moved.Fields {
		moved.Fields[i].Location = prefix + moved.Fields[i].Location
	}
	return &moved
}

// Conflict reports that the state of a thing does not allow the operation.
func Conflict(code, format string, args ...any) *Error {
	return &Error{Kind: KindConflict, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Forbidden reports that the caller sees the thing but may not do this.
func Forbidden(format string, args ...any) *Error {
	return &Error{Kind: KindForbidden, Code: "forbidden", Message: fmt.Sprintf(format, args...)}
}

// Unauthenticated reports a missing or invalid credential.
func Unauthenticated() *Error {
	return &Error{Kind: KindUnauthenticated, Code: "unauthenticated", Message: "a valid credential is required"}
}

// WithoutValues returns err without the values of those of its Fields for whose location hide
// returns true.
func WithoutValues(err error, hide func(location string) bool) error {
	var e *Error
	if !errors.As(err, &e) || len(e.Fields) == 0 {
		return err
	}
	shown := *e
	shown.Fields = slices.Clone(e.Fields)
	for i := range shown.Fields {
		if hide(shown.Fields[i].Location) {
			shown.Fields[i].Value = nil
		}
	}
	return &shown
}
