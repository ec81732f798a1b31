package rest

import (
	"errors"
	"testing"

	"imprimatur/core"
)

func TestWithoutValues(t *testing.T) {
	t.Parallel()
	given := core.Invalid(core.FieldError{Location: "fields.a", Message: "is bad", Value: "mine"}, core.FieldError{Location: "fields.b", Message: "is bad", Value: "secret"})
	var shown *core.Error
	if !errors.As(withoutValues(given, func(location string) bool { return location == "fields.b" }), &shown) {
		t.Fatal("the result is not an Error")
	}
	if shown.Fields[0].Value != "mine" || shown.Fields[1].Value != nil || shown.Fields[1].Message != "is bad" || given.Fields[1].Value != "secret" {
		t.Errorf("%v became %v", given, shown)
	}
	if plain := errors.New("x"); withoutValues(plain, func(string) bool { return true }) != plain { //nolint:errorlint // the same value, not one that wraps it
		t.Error("an unrelated error was changed")
	}
}
