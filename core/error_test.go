package core

import (
	"errors"
	"testing"
)

func TestWithoutValues(t *testing.T) {
	t.Parallel()
	given := Invalid(FieldError{Location: "fields.a", Message: "is bad", Value: "mine"}, FieldError{Location: "fields.b", Message: "is bad", Value: "secret"})
	var shown *Error
	if !errors.As(WithoutValues(given, func(location string) bool { return location == "fields.b" }), &shown) {
		t.Fatal("the result is not an Error")
	}
	if shown.Fields[0].Value != "mine" || shown.Fields[1].Value != nil || shown.Fields[1].Message != "is bad" || given.Fields[1].Value != "secret" {
		t.Errorf("%v became %v", given, shown)
	}
	if plain := errors.New("x"); WithoutValues(plain, func(string) bool { return true }) != plain { //nolint:errorlint // the same value, not one that wraps it
		t.Error("an unrelated error was changed")
	}
}
