package metadata

import (
	"bytes"
	"encoding/binary"
)

// Resources of Photoshop (Adobe Photoshop File Formats Specification).
const (
	resourceResolution = 0x03ed
	resourceIPTC       = 0x0404
	resourceCopyright  = 0x040a // whether the picture is under copyright
	resourceURL        = 0x040b // of the copyright
)

// iptcRecord is the number of a record and a dataset (IPTC-NAA Information Interchange Model 4.2).
type iptcRecord [2]byte

// iptcRecords are the records that are copied.
var iptcRecords = map[iptcRecord]bool{
	{1, 90}:  true,                                 // CodedCharacterSet
	{2, 0}:   true,                                 // RecordVersion
	{2, 5}:   true,                                 // ObjectName, the title
	{2, 25}:  true,                                 // Keywords
	{2, 55}:  true,                                 // DateCreated
	{2, 80}:  true,                                 // By-line, the creator
	{2, 85}:  true,                                 // By-lineTitle
	{2, 105}: true,                                 // Headline
	{2, 110}: true, {2, 115}: true, {2, 116}: true, // Credit, Source, CopyrightNotice
	{2, 120}: true, {2, 122}: true, // Caption-Abstract, Writer-Editor
}

// cleanPhotoshop returns the resources of Photoshop without those that may contain a place. It
// leaves out a resource that is invalid, and everything after it.
func cleanPhotoshop(body []byte) (clean []byte) {
	for {
		resource, content, rest, ok := cutResource(body)
		if !ok {
			return clean
		}
		whole := body[:len(body)-len(rest)]
		body = rest
		switch resource {
		case resourceResolution, resourceCopyright, resourceURL:
			clean = append(clean, whole...)
		case resourceIPTC:
			if records := cleanIPTC(content); len(records) > 0 {
				clean = append(clean, "8BIM\x04\x04\x00\x00"...)
				clean = binary.BigEndian.AppendUint32(clean, uint32(len(records)))
				clean = append(clean, records...)
				clean = append(clean, make([]byte, len(records)&1)...)
			}
		}
	}
}

// cutResource returns the first resource of body: its number, its content and what follows. A
// resource has a signature, the number, a name, the length of the content and the content. Name
// and content are padded to even lengths.
func cutResource(body []byte) (resource uint16, content, rest []byte, ok bool) {
	const fixed = 12 // bytes of a resource without name and content
	if len(body) < fixed || !bytes.HasPrefix(body, []byte("8BIM")) {
		return 0, nil, nil, false
	}
	resource = binary.BigEndian.Uint16(body[4:])
	name := (int(body[6]) + 2) &^ 1 // with its length byte
	if rest = body[6:]; len(rest) < name+4 {
		return 0, nil, nil, false
	}
	length := int64(binary.BigEndian.Uint32(rest[name:]))
	if rest = rest[name+4:]; int64(len(rest)) < length {
		return 0, nil, nil, false
	}
	content, rest = rest[:length], rest[length:]
	return resource, content, rest[min(len(rest), int(length&1)):], true
}

// cleanIPTC returns the records of iptcRecords, or nil if records is invalid.
func cleanIPTC(records []byte) (clean []byte) {
	const header = 5
	for len(records) >= header && records[0] == 0x1c {
		length := int(binary.BigEndian.Uint16(records[3:]))
		if len(records) < header+length { // also of the extended form, which starts with a set bit
			return nil
		}
		if iptcRecords[iptcRecord(records[1:3])] {
			clean = append(clean, records[:header+length]...)
		}
		records = records[header+length:]
	}
	if len(bytes.Trim(records, "\x00")) > 0 { // other than padding
		return nil
	}
	return clean
}
