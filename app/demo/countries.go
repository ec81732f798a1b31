package demo

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed" // the data
	"encoding/json"
	"io"
	"slices"
)

// countriesData contains 250 countries with their names in the languages of the demo, one JSON object
// per line, from mledoze/countries, in gzip. Its licence is data/LICENSE-countries-ODbL.txt.
//
//go:embed data/countries.jsonl.gz
var countriesData []byte

// licenceCountries is data/LICENSE-countries-ODbL.txt in gzip.
//
//go:embed data/LICENSE-countries-ODbL.txt.gz
var licenceCountries []byte

// Licences returns the licence of the countries and of their flags.
func Licences() (string, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(licenceCountries))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(unpacked)
	return "mledoze/countries\n\n" + string(text), err
}

// translation selects the countries that exist in a locale besides English. The others
// demonstrate fallback chains.
type translation struct {
	locale  string
	key     string // the language in the data
	regions []string
}

var translations = []translation{
	{"de", "deu", []string{"Europe"}},
	{"fr", "fra", []string{"Europe", "Africa"}},
	{"ja", "jpn", []string{"Asia"}},
	{"pt", "por", []string{"Americas"}},
}

// countryFields are the fields of the collection with the same name in the data. The
// relation borders is imported by keys instead.
var countryFields = []string{
	"code", "name", "official", "region", "subregion", "capital", "languages", "currencies",
	"area", "independent", "landlocked", "latlng",
}

type country struct {
	Code         string
	Region       string
	Borders      []string
	Translations map[string]map[string]json.RawMessage
}

// importLine is a line in the format of the importer.
type importLine struct {
	Key          string                                `json:"key"`
	Locale       string                                `json:"locale"`
	Published    bool                                  `json:"published"`
	Fields       map[string]json.RawMessage            `json:"fields"`
	Relations    map[string][]string                   `json:"relations,omitempty"`
	Translations map[string]map[string]json.RawMessage `json:"translations,omitempty"`
}

// countryLines returns the countries as lines for the importer.
func countryLines() (io.Reader, error) {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	source, err := packedLines(countriesData)
	if err != nil {
		return nil, err
	}
	for source.Scan() {
		line, err := countryLine(source.Bytes())
		if err != nil {
			return nil, err
		}
		if err := encoder.Encode(line); err != nil {
			return nil, err
		}
	}
	return &lines, nil
}

// packedLines returns the lines of data in gzip.
func packedLines(data []byte) (*bufio.Scanner, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return bufio.NewScanner(unpacked), nil
}

func countryLine(data []byte) (importLine, error) {
	var known country
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &known); err != nil {
		return importLine{}, err
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return importLine{}, err
	}
	fields := map[string]json.RawMessage{}
	for _, name := range countryFields {
		fields[name] = all[name]
	}
	line := importLine{
		Key: known.Code, Locale: "en", Published: true, Fields: fields,
		Relations:    map[string][]string{"borders": known.Borders},
		Translations: map[string]map[string]json.RawMessage{},
	}
	for _, t := range translations {
		if slices.Contains(t.regions, known.Region) {
			line.Translations[t.locale] = translated(fields, known.Translations[t.key])
		}
	}
	return line, nil
}

// translated returns fields with the names of another language.
func translated(fields, names map[string]json.RawMessage) map[string]json.RawMessage {
	other := map[string]json.RawMessage{}
	for name, value := range fields {
		other[name] = value
		if t, ok := names[name]; ok {
			other[name] = t
		}
	}
	return other
}
