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
	KindInternal           Kind = iota // a bug or a broken dependency; responses never contain its text
	KindBadRequest                     // a malformed request or query
	KindInvalid                        // well formed, but with invalid values
	KindUnauthenticated                // the credential is missing or invalid
	KindForbidden                      // the caller may see the thing, but not perform the operation
	KindNotFound                       // does not exist, or the caller may not see it
	KindGone                           // existed, and no longer does
	KindConflict                       // the state of the thing does not allow the operation
	KindPreconditionFailed             // the version that the caller expects is not the current one
	KindTooLarge                       // exceeds a size limit
	KindUnsupportedMedia               // the content type is not accepted
	KindTooManyRequests                // exceeds a rate limit; RetryAfter is the time to wait
	KindUnavailable                    // a dependency is not available; retry later
	KindStorageFull                    // the disk is full
)

// Error is the error that ports and use cases return. Any other error is an internal fault.
// Message is for the client. Err is the cause, or nil; it is logged and responses never contain
// it.
type Error struct {
	Kind       Kind
	Code       string // stable, snake_case
	Message    string
	Fields     []FieldError
	RetryAfter time.Duration
	Err        error
}

// FieldError is one fault of the client's input, with its location.
type FieldError struct {
	Location string // "fields.title", "where[views][lt]", "steps[2].stepOrder"
	Message  string
	Value    any // the invalid value if it is short and not secret, or nil
	// Unpublished is the translation group that a required relation names and that has no public entry;
	// 0: the fault is another one. Responses do not show it.
	Unpublished int64
	// Entry is the entry that the fault is about, of a write of several; 0: unknown. Responses do not show it.
	Entry int64
}

// Unpublished reports whether all faults of e are targets of relations that are not public.
func (e *Error) Unpublished() bool {
	return len(e.Fields) > 0 && !slices.ContainsFunc(e.Fields, func(f FieldError) bool { return f.Unpublished == 0 })
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return e.Code + ": " + e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, target) true for a target of the same kind that has the same code or,
// like the sentinels, no message.
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

// ErrChangedMeanwhile reports that another transaction changed the thing between the read and
// the write of this transaction. The client can retry.
var ErrChangedMeanwhile = Conflict("changed_meanwhile", "another request is changing this at the same time; try again")

// ChangedMeanwhile returns ErrChangedMeanwhile when err is an ErrConflict of a store, and
// err itself otherwise.
func ChangedMeanwhile(err error) error {
	if errors.Is(err, ErrConflict) {
		return ErrChangedMeanwhile
	}
	return err
}

// Stale reports that the version in the client's If-Match is not the current version of thing.
func Stale(thing string) *Error {
	return &Error{
		Kind: KindPreconditionFailed, Code: "precondition_failed",
		Message: "the " + thing + " has another version than the one given",
	}
}

// KindOf returns the kind of err. It returns KindInternal for an err that is not an Error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindInternal
}

// NotFound reports that thing does not exist or that the caller may not see it. The message is
// the same in both cases.
func NotFound(thing string) *Error {
	return &Error{Kind: KindNotFound, Code: "not_found", Message: "no such " + thing}
}

// BadRequest reports a malformed request.
func BadRequest(code, format string, args ...any) *Error {
	return &Error{Kind: KindBadRequest, Code: code, Message: fmt.Sprintf(format, args...)}
}

// BadParameter reports an invalid query parameter. fault is a phrase that follows its name. value
// is the given value, or nil if the response must not contain it.
func BadParameter(name string, value any, fault string) *Error {
	err := BadRequest("bad_parameter", "parameter %s %s", name, fault)
	err.Fields = []FieldError{{Location: name, Message: fault, Value: value}}
	return err
}

// Invalid reports all invalid values of an input.
func Invalid(fields ...FieldError) *Error {
	return &Error{Kind: KindInvalid, Code: "invalid", Message: "some values are not valid", Fields: fields}
}

// Within returns err with prefix added to the location of each of its Fields.
func Within(prefix string, err error) error {
	return EditFields(err, func(f *FieldError) { f.Location = prefix + f.Location })
}

// EditFields returns err with a copy of its Fields, changed by edit, or err if it has no Fields.
func EditFields(err error, edit func(*FieldError)) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || len(e.Fields) == 0 {
		return err
	}
	edited := *e
	edited.Fields = slices.Clone(e.Fields)
	for i := range edited.Fields {
		edit(&edited.Fields[i])
	}
	return &edited
}

// Conflict reports that the state of a thing does not allow the operation.
func Conflict(code, format string, args ...any) *Error {
	return &Error{Kind: KindConflict, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Forbidden reports that the caller may see the thing, but not perform the operation.
func Forbidden(format string, args ...any) *Error {
	return &Error{Kind: KindForbidden, Code: "forbidden", Message: fmt.Sprintf(format, args...)}
}

// PasswordChangeRequired returns the error of requests by a user that must change the password
// first.
func PasswordChangeRequired() *Error {
	return &Error{Kind: KindForbidden, Code: "password_change_required", Message: "the password must be changed first"}
}

// VerifyFirst returns the error of requests that need a fresh Proof.
func VerifyFirst() *Error {
	return &Error{Kind: KindForbidden, Code: "verify_first", Message: "prove again who you are, then repeat the request: POST /api/session/verify"}
}

// Linked returns the error of giving an account that an identity provider signs in a role outside of the tenant of the
// provider.
func Linked() *Error {
	return Conflict("linked", "an identity provider of another tenant signs the user in; the user must unlink the account first")
}

// Unauthenticated reports a missing or invalid credential.
func Unauthenticated() *Error {
	return &Error{Kind: KindUnauthenticated, Code: "unauthenticated", Message: "a valid credential is required"}
}
