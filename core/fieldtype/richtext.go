package fieldtype

import (
	"encoding/json"
	"sync"

	"github.com/microcosm-cc/bluemonday"

	"imprimatur/core/canonical"
)

var _ = register(Type{
	Name: "richtext", Kind: Text, Form: "a string of sanitised HTML", Control: "richtext", Example: `"<p>Second week.</p>"`,
	Check: checkRichText, Operand: textOperand, Decode: decodeText, Length: true, LongText: true,
})

// sanitizer is built on first use, because building it takes a good part of a start.
var sanitizer = sync.OnceValue(bluemonday.UGCPolicy)

func checkRichText(o Options, raw json.RawMessage) (json.RawMessage, string) {
	text, fault := readString(raw)
	if fault != "" {
		return nil, fault
	}
	text = sanitizer().Sanitize(text)
	return canonical.Quote(text), TextFault(o, text)
}
