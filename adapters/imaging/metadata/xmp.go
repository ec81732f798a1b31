package metadata

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strings"
)

// Namespaces of XMP (ISO 16684-1).
const (
	rdfSpace = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	xmlSpace = "http://www.w3.org/XML/1998/namespace"
)

// xmpProperties are the properties that are copied, by the prefix and the URL of their namespace.
// Their values are texts or lists of texts; structures are left out.
var xmpProperties = []struct {
	prefix, space string
	names         []string
}{
	{"dc", "http://purl.org/dc/elements/1.1/", []string{"title", "creator", "description", "subject", "rights"}},
	{"xmp", "http://ns.adobe.com/xap/1.0/", []string{"CreateDate", "CreatorTool", "ModifyDate", "Rating"}},
	{"xmpRights", "http://ns.adobe.com/xap/1.0/rights/", []string{"Certificate", "Marked", "Owner", "UsageTerms", "WebStatement"}},
	{"photoshop", "http://ns.adobe.com/photoshop/1.0/", []string{"AuthorsPosition", "CaptionWriter", "Credit", "DateCreated", "Headline", "Source"}},
	{"Iptc4xmpExt", "http://iptc.org/std/Iptc4xmpExt/2008-02-29/", []string{"DigitalSourceType"}},
	{"cc", "http://creativecommons.org/ns#", []string{"attributionName", "attributionURL", "license", "morePermissions"}},
	{"tiff", "http://ns.adobe.com/tiff/1.0/", []string{"Artist", "Copyright", "Make", "Model", "Orientation"}},
	{"GPano", "http://ns.google.com/photos/1.0/panorama/", []string{
		"CroppedAreaImageHeightPixels", "CroppedAreaImageWidthPixels", "CroppedAreaLeftPixels", "CroppedAreaTopPixels",
		"FullPanoHeightPixels", "FullPanoWidthPixels", "InitialViewHeadingDegrees", "ProjectionType", "UsePanoramaViewer",
	}},
}

// xmpValue is the value of a property: a text, an address or the items of a list.
type xmpValue struct {
	text     string
	resource bool   // text is an address
	list     string // Alt, Bag or Seq; empty: no list
	items    []xmpItem
}

type xmpItem struct{ language, text string }

// cleanXMP returns a new packet with the properties of xmpProperties. It returns nil if packet is
// invalid or has none of them.
func cleanXMP(packet []byte) []byte {
	values, err := readXMP(packet)
	if err != nil || len(values) == 0 {
		return nil
	}
	return writeXMP(values)
}

// isXMPProperty reports whether a property is copied.
func isXMPProperty(name xml.Name) bool {
	for _, known := range xmpProperties {
		if known.space == name.Space {
			return slices.Contains(known.names, name.Local)
		}
	}
	return false
}

// readXMP returns the properties that are copied. Each is an attribute or a child of an element
// rdf:Description, a child of rdf:RDF. Of equal properties the first counts.
func readXMP(packet []byte) (map[xml.Name]xmpValue, error) {
	decoder := xml.NewDecoder(bytes.NewReader(packet))
	values := map[xml.Name]xmpValue{}
	add := func(name xml.Name, value xmpValue, ok bool) {
		if _, known := values[name]; ok && !known {
			values[name] = value
		}
	}
	for {
		token, err := decoder.Token()
		if err == io.EOF { //nolint:errorlint // Token returns io.EOF unwrapped at the end of the document
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		start, ok := token.(xml.StartElement)
		switch {
		case !ok || start.Name.Space == rdfSpace && start.Name.Local == "RDF" || start.Name.Local == "xmpmeta":
		case start.Name.Space == rdfSpace && start.Name.Local == "Description":
			for _, a := range start.Attr {
				add(a.Name, xmpValue{text: a.Value}, isXMPProperty(a.Name))
			}
		case isXMPProperty(start.Name):
			value, ok, err := readXMPValue(decoder, start)
			if err != nil {
				return nil, err
			}
			add(start.Name, value, ok)
		default:
			if err := decoder.Skip(); err != nil {
				return nil, err
			}
		}
	}
}

// readXMPValue reads the value of the property that start began, to its end. It returns false if
// the value is a structure.
func readXMPValue(decoder *xml.Decoder, start xml.StartElement) (value xmpValue, ok bool, err error) {
	for _, a := range start.Attr {
		if a.Name.Space == rdfSpace && a.Name.Local == "resource" {
			return xmpValue{text: a.Value, resource: true}, true, decoder.Skip()
		}
		if a.Name.Space == rdfSpace {
			return value, false, decoder.Skip()
		}
	}
	var text strings.Builder
	ok = true
	for {
		token, err := decoder.Token()
		if err != nil {
			return value, false, err
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			if value.text = text.String(); value.list != "" {
				value.text = ""
			}
			return value, ok, nil
		case xml.StartElement:
			isList := token.Name.Space == rdfSpace && slices.Contains([]string{"Alt", "Bag", "Seq"}, token.Name.Local)
			if !isList || value.list != "" {
				ok, err = false, decoder.Skip()
			} else {
				value.list = token.Name.Local
				value.items, err = readXMPItems(decoder)
			}
			if err != nil {
				return value, false, err
			}
		}
	}
}

// readXMPItems reads the items of a list to its end. It leaves out items that are structures.
func readXMPItems(decoder *xml.Decoder) (items []xmpItem, err error) {
	for {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.EndElement:
			return items, nil
		case xml.StartElement:
			if token.Name != (xml.Name{Space: rdfSpace, Local: "li"}) {
				if err := decoder.Skip(); err != nil {
					return nil, err
				}
				continue
			}
			value, ok, err := readXMPValue(decoder, xml.StartElement{Attr: slices.DeleteFunc(slices.Clone(token.Attr), isLanguage)})
			if err != nil {
				return nil, err
			}
			if ok && value.list == "" && !value.resource {
				items = append(items, xmpItem{language(token.Attr), value.text})
			}
		}
	}
}

func isLanguage(a xml.Attr) bool {
	return a.Name.Space == xmlSpace && a.Name.Local == "lang" || a.Name.Space == "xml"
}

func language(attributes []xml.Attr) string {
	if i := slices.IndexFunc(attributes, isLanguage); i >= 0 {
		return attributes[i].Value
	}
	return ""
}

// writeXMP returns a packet with the values, in the order of xmpProperties.
func writeXMP(values map[xml.Name]xmpValue) []byte {
	var b bytes.Buffer
	b.WriteString(`<?xpacket begin="` + "\ufeff" + `" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="` +
		rdfSpace + `"><rdf:Description rdf:about=""`)
	for _, known := range xmpProperties {
		b.WriteString(` xmlns:` + known.prefix + `="` + known.space + `"`)
	}
	b.WriteString(">")
	for _, known := range xmpProperties {
		for _, name := range known.names {
			if value, ok := values[xml.Name{Space: known.space, Local: name}]; ok {
				value.write(&b, known.prefix+":"+name)
			}
		}
	}
	b.WriteString(`</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="r"?>`)
	return b.Bytes()
}

// write appends the property with the value.
func (v xmpValue) write(b *bytes.Buffer, name string) {
	switch {
	case v.resource:
		b.WriteString("<" + name + ` rdf:resource="` + escape(v.text) + `"/>`)
	case v.list == "":
		b.WriteString("<" + name + ">" + escape(v.text) + "</" + name + ">")
	default:
		b.WriteString("<" + name + "><rdf:" + v.list + ">")
		for _, item := range v.items {
			b.WriteString("<rdf:li")
			if item.language != "" {
				b.WriteString(` xml:lang="` + escape(item.language) + `"`)
			}
			b.WriteString(">" + escape(item.text) + "</rdf:li>")
		}
		b.WriteString("</rdf:" + v.list + "></" + name + ">")
	}
}

// escape returns text for XML.
func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder returns no errors
	return b.String()
}
