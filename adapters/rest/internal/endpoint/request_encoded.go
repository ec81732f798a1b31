package endpoint

import (
	"mime"
	"net/http"
	"net/url"
	"reflect"
)

const formEncoded = "application/x-www-form-urlencoded"

func isFormEncoded(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == formEncoded && h.Get("Content-Encoding") == ""
}

// decodeForm reads a body of URL-encoded parameters into a struct of texts. It ignores unknown parameters, as OAuth demands
// (RFC 6749, 3.2), and none that it knows may come twice.
func decodeForm(raw []byte, body any) error {
	given, err := url.ParseQuery(string(raw))
	if err != nil {
		return malformedForm("the body is not a well-formed form")
	}
	into := reflect.ValueOf(body).Elem()
	for i := range into.NumField() {
		name := into.Type().Field(i).Tag.Get("json")
		if len(given[name]) > 1 {
			return malformedForm(name + " must not be repeated")
		}
		into.Field(i).SetString(given.Get(name))
	}
	return nil
}
