package endpoint

import (
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
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
		return malformedForm("the body is not well-formed " + formEncoded)
	}
	known := map[string]string{}
	shape := reflect.TypeOf(body).Elem()
	for i := range shape.NumField() {
		name, _, _ := strings.Cut(shape.Field(i).Tag.Get("json"), ",")
		values := given[name]
		if len(values) > 1 {
			return malformedForm(name + " must not be repeated")
		}
		if len(values) == 1 {
			known[name] = values[0]
		}
	}
	text, err := json.Marshal(known)
	if err != nil {
		return err
	}
	return Decode(text, body)
}
