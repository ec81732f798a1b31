package writing

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/slug"
	"imprimatur/core/validation"
)

// plainHasher creates readable hashes.
type plainHasher struct{}

func (plainHasher) Hash(_ context.Context, password string) (string, error) {
	return "hash of " + password, nil
}

func (plainHasher) Matches(_ context.Context, password, hash string) (bool, error) {
	return hash == "hash of "+password, nil
}

func oneField(f core.Field) *core.Collection {
	f.Name = "f"
	return &core.Collection{Fields: []*core.Field{&f}}
}

func bound(n float64) *float64 { return &n }

func TestValuesBecomeCanonical(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		field core.Field
		raw   string
		want  string // "" if the field is cleared
	}{
		"text":                    {core.Field{Type: core.TypeText}, `"a\u0062\u00e9\/ "`, `"abé/ "`},
		"text of emoji":           {core.Field{Type: core.TypeText, Max: bound(1)}, `"\ud83d\ude00"`, `"😀"`},
		"line separator":          {core.Field{Type: core.TypeText}, `"\u2028<&>"`, "\"\u2028<&>\""},
		"empty text":              {core.Field{Type: core.TypeText}, ` "" `, `""`},
		"null":                    {core.Field{Type: core.TypeText}, `null`, ``},
		"pattern of the whole":    {core.Field{Type: core.TypeText, Pattern: "a|b"}, `"b"`, `"b"`},
		"rich text":               {core.Field{Type: core.TypeRichText}, `"<p onclick=\"x()\">a<script>b</script></p>"`, `"<p>a</p>"`},
		"slug":                    {core.Field{Type: core.TypeSlug}, `"a-1"`, `"a-1"`},
		"slug of any sort":        {core.Field{Type: core.TypeSlug}, `"a--b_c-"`, `"a--b_c-"`},
		"slug of any script":      {core.Field{Type: core.TypeSlug, Style: slug.Unicode}, `"gro\u0308ße"`, `"größe"`},
		"slug with parts":         {core.Field{Type: core.TypeSlug, Path: true}, `"news/2026/a"`, `"news/2026/a"`},
		"2^53 and more":           {core.Field{Type: core.TypeNumber, Multiple: true}, `[9007199254740992,1e20,1.10,1e2,-0]`, `[9007199254740992,100000000000000000000,1.1,100,0]`},
		"e-mail":                  {core.Field{Type: core.TypeEmail}, `"a.b+c@example.org"`, `"a.b+c@example.org"`},
		"password":                {core.Field{Type: core.TypePassword}, `"secret"`, `"hash of secret"`},
		"number":                  {core.Field{Type: core.TypeNumber}, `1.50`, `1.5`},
		"whole number":            {core.Field{Type: core.TypeNumber}, `12e2`, `1200`},
		"negative zero":           {core.Field{Type: core.TypeNumber}, `-0.0`, `0`},
		"largest whole number":    {core.Field{Type: core.TypeNumber}, `9007199254740991`, `9007199254740991`},
		"small number":            {core.Field{Type: core.TypeNumber}, `0.0000001`, `1e-7`},
		"boolean":                 {core.Field{Type: core.TypeBoolean}, `false`, `false`},
		"date":                    {core.Field{Type: core.TypeDate}, `"2024-02-29"`, `"2024-02-29"`},
		"escaped date":            {core.Field{Type: core.TypeDate}, `"2024\u002d02-29"`, `"2024-02-29"`},
		"time without seconds":    {core.Field{Type: core.TypeTime}, `"09:30"`, `"09:30:00"`},
		"time of whole seconds":   {core.Field{Type: core.TypeTime}, `"09:30:01.000"`, `"09:30:01"`},
		"time of milliseconds":    {core.Field{Type: core.TypeTime}, `"09:30:01.250"`, `"09:30:01.250"`},
		"date and time":           {core.Field{Type: core.TypeDateTime}, `"2024-01-01T00:30:00+01:00"`, `"2023-12-31T23:30:00.000Z"`},
		"finer than milliseconds": {core.Field{Type: core.TypeDateTime}, `"2024-01-01T00:00:00.123999Z"`, `"2024-01-01T00:00:00.123Z"`},
		"enumeration":             {core.Field{Type: core.TypeEnumeration, Choices: []string{"a", "b"}}, `"b"`, `"b"`},
		"color":                   {core.Field{Type: core.TypeColor}, `"#A0b1C2"`, `"#a0b1c2"`},
		"json":                    {core.Field{Type: core.TypeJSON}, `{"b": [1.0, null], "a": "\u00e9"}`, `{"a":"é","b":[1,null]}`},
		"json false":              {core.Field{Type: core.TypeJSON}, `false`, `false`},
		"media":                   {core.Field{Type: core.TypeMedia}, `7`, `7`},
		"relation":                {core.Field{Type: core.TypeRelation}, `7.0`, `7`},
		"many texts":              {core.Field{Type: core.TypeText, Multiple: true, Min: bound(2)}, `[ "a" , "a" ]`, `["a","a"]`},
		"none of many":            {core.Field{Type: core.TypeText, Multiple: true, Min: bound(2)}, `[]`, `[]`},
		"null of many":            {core.Field{Type: core.TypeText, Multiple: true}, `null`, `[]`},
		"many json":               {core.Field{Type: core.TypeJSON, Multiple: true}, `[{"b":1,"a":2},[ ]]`, `[{"a":2,"b":1},[]]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, err := checkFields(t.Context(), plainHasher{}, core.SystemActor, oneField(c.field), core.WrittenFields{Raw: map[string]json.RawMessage{"f": json.RawMessage(c.raw)}}, nil)
			require.NoError(t, err)
			require.Empty(t, in.Faults)
			value, named := in.Values["f"]
			require.True(t, named)
			require.Equal(t, c.want, string(value))
		})
	}
}

func TestValuesAreRefused(t *testing.T) {
	t.Parallel()
	long := `"` + strings.Repeat("a", 65) + "@example.org" + strings.Repeat(".org", 60) + `"`
	for name, c := range map[string]struct {
		field    core.Field
		raw      string
		location string
		message  string // a part of it
	}{
		"not JSON":                 {core.Field{Type: core.TypeText}, `"a`, "fields.f", "is not JSON"},
		"nothing":                  {core.Field{Type: core.TypeText}, ``, "fields.f", "is not JSON"},
		"number for text":          {core.Field{Type: core.TypeText}, `1`, "fields.f", "must be a string"},
		"list for one":             {core.Field{Type: core.TypeText}, `["a"]`, "fields.f", "must be a string"},
		"NUL":                      {core.Field{Type: core.TypeText}, `"a\u0000"`, "fields.f", "U+0000"},
		"lone surrogate":           {core.Field{Type: core.TypeText}, `"\ud800"`, "fields.f", "Unicode"},
		"reversed surrogates":      {core.Field{Type: core.TypeText}, `"\udc00\ud800"`, "fields.f", "Unicode"},
		"broken UTF-8":             {core.Field{Type: core.TypeText}, "\"\xff\"", "fields.f", "Unicode"},
		"too short":                {core.Field{Type: core.TypeText, Min: bound(2)}, `"é"`, "fields.f", "at least 2 characters"},
		"too long":                 {core.Field{Type: core.TypeText, Max: bound(2)}, `"abc"`, "fields.f", "at most 2 characters"},
		"pattern within":           {core.Field{Type: core.TypeText, Pattern: "a|b"}, `"ab"`, "fields.f", "pattern"},
		"NUL in rich text":         {core.Field{Type: core.TypeRichText}, `"\u0000"`, "fields.f", "U+0000"},
		"slug with a capital":      {core.Field{Type: core.TypeSlug}, `"A"`, "fields.f", "a-z"},
		"slug of hyphens":          {core.Field{Type: core.TypeSlug}, `"--"`, "fields.f", "a-z"},
		"slug with a line feed":    {core.Field{Type: core.TypeSlug}, `"a\n"`, "fields.f", "a-z"},
		"slug with letters":        {core.Field{Type: core.TypeSlug}, `"größe"`, "fields.f", "must consist of a-z, 0-9, - and _"},
		"slug in capitals":         {core.Field{Type: core.TypeSlug, Style: slug.Unicode}, `"Größe"`, "fields.f", "must consist of lower-case letters and digits of any script, - and _"},
		"slug with a part":         {core.Field{Type: core.TypeSlug}, `"a/b"`, "fields.f", "a-z"},
		"slug with an empty part":  {core.Field{Type: core.TypeSlug, Path: true}, `"a//b"`, "fields.f", "single / between parts"},
		"e-mail with a name":       {core.Field{Type: core.TypeEmail}, `"A <a@b.c>"`, "fields.f", "e-mail"},
		"long e-mail":              {core.Field{Type: core.TypeEmail}, long, "fields.f", "e-mail"},
		"empty password":           {core.Field{Type: core.TypePassword}, `""`, "fields.f", "empty"},
		"long password":            {core.Field{Type: core.TypePassword}, `"` + strings.Repeat("a", 1025) + `"`, "fields.f", "too long"},
		"short password":           {core.Field{Type: core.TypePassword, Min: bound(8)}, `"abc"`, "fields.f", "at least 8"},
		"text for number":          {core.Field{Type: core.TypeNumber}, `"1"`, "fields.f", "must be a number"},
		"2^53+1":                   {core.Field{Type: core.TypeNumber}, `9007199254740993`, "fields.f", "exactly"},
		"beyond doubles":           {core.Field{Type: core.TypeNumber}, `1e400`, "fields.f", "exactly"},
		"below doubles":            {core.Field{Type: core.TypeNumber}, `1e-400`, "fields.f", "exactly"},
		"too many digits":          {core.Field{Type: core.TypeNumber}, `123456789123456.12345`, "fields.f", "exactly"},
		"the digits of a double":   {core.Field{Type: core.TypeNumber}, `0.1000000000000000055511151231257827`, "fields.f", "exactly"},
		"digits in json":           {core.Field{Type: core.TypeJSON}, `{"a":[123456789123456.12345]}`, "fields.f", "exactly: 123456789123456.12345"},
		"own words for a pattern":  {core.Field{Type: core.TypeText, Pattern: "[A-Z].*", PatternMessage: "must begin with a capital"}, `"a"`, "fields.f", "must begin with a capital"},
		"relation above doubles":   {core.Field{Type: core.TypeRelation}, `9007199254740992`, "fields.f", "an id"},
		"under min":                {core.Field{Type: core.TypeNumber, Min: bound(0)}, `-0.5`, "fields.f", "at least 0"},
		"over max":                 {core.Field{Type: core.TypeNumber, Max: bound(5)}, `5.5`, "fields.f", "at most 5"},
		"number for boolean":       {core.Field{Type: core.TypeBoolean}, `1`, "fields.f", "true or false"},
		"no such day":              {core.Field{Type: core.TypeDate}, `"2023-02-29"`, "fields.f", "a date"},
		"year 0":                   {core.Field{Type: core.TypeDate}, `"0000-01-01"`, "fields.f", "a date"},
		"year 10000":               {core.Field{Type: core.TypeDate}, `"10000-01-01"`, "fields.f", "a date"},
		"hour 24":                  {core.Field{Type: core.TypeTime}, `"24:00:00"`, "fields.f", "a time"},
		"date and time at no zone": {core.Field{Type: core.TypeDateTime}, `"2024-01-01T00:00:00"`, "fields.f", "offset"},
		"into the year 10000":      {core.Field{Type: core.TypeDateTime}, `"9999-12-31T23:59:59-01:00"`, "fields.f", "offset"},
		"no choice":                {core.Field{Type: core.TypeEnumeration, Choices: []string{"a", "b"}}, `"c"`, "fields.f", "a, b"},
		"short color":              {core.Field{Type: core.TypeColor}, `"#abc"`, "fields.f", "#rrggbb"},
		"json with NUL":            {core.Field{Type: core.TypeJSON}, `{"a":["\u0000"]}`, "fields.f", "U+0000"},
		"json with NUL name":       {core.Field{Type: core.TypeJSON}, `{"\u0000":1}`, "fields.f", "U+0000"},
		"json with large number":   {core.Field{Type: core.TypeJSON}, `[9007199254740993]`, "fields.f", "exactly"},
		"json with a member twice": {core.Field{Type: core.TypeJSON}, `{"a":1,"\u0061":2}`, "fields.f", "twice"},
		"json with a surrogate":    {core.Field{Type: core.TypeJSON}, `["\ud800"]`, "fields.f", "Unicode"},
		"json too deep":            {core.Field{Type: core.TypeJSON}, strings.Repeat("[", 101) + strings.Repeat("]", 101), "fields.f", "deeply"},
		"media by name":            {core.Field{Type: core.TypeMedia}, `"7"`, "fields.f", "an id"},
		"relation to 0":            {core.Field{Type: core.TypeRelation}, `0`, "fields.f", "an id"},
		"relation to a half":       {core.Field{Type: core.TypeRelation}, `1.5`, "fields.f", "an id"},
		"one for many":             {core.Field{Type: core.TypeText, Multiple: true}, `"a"`, "fields.f", "a list"},
		"null among many":          {core.Field{Type: core.TypeText, Multiple: true}, `["a",null]`, "fields.f[1]", "not be null"},
		"bad among many":           {core.Field{Type: core.TypeNumber, Multiple: true}, `[1,2,"3"]`, "fields.f[2]", "a number"},
		"too few":                  {core.Field{Type: core.TypeText, Multiple: true, Min: bound(2)}, `["a"]`, "fields.f", "at least 2 values"},
		"too many":                 {core.Field{Type: core.TypeText, Multiple: true, Max: bound(1)}, `["a","b"]`, "fields.f", "at most 1 values"},
		"far too many":             {core.Field{Type: core.TypeNumber, Multiple: true}, `[` + strings.Repeat("1,", 1000) + `1]`, "fields.f", "at most 1000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := faultsOfValue(t, c.field, c.raw)
			require.Len(t, found.List, 1)
			require.Equal(t, c.location, found.List[0].Location)
			require.Contains(t, found.List[0].Message, c.message)
			require.True(t, found.HasField("f"))
		})
	}
}

func TestSecretsAreNotRepeatedInFaults(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]core.Field{
		"password": {Type: core.TypePassword, Min: bound(20)},
		"hidden":   {Type: core.TypeText, Min: bound(20), Hidden: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := faultsOfValue(t, f, `"hunter2"`)
			require.Len(t, found.List, 1)
			require.Nil(t, found.List[0].Value)
			require.NotContains(t, found.List[0].Message, "hunter2")
		})
	}
}

// faultsOfValue returns the faults of raw for its type, or for the options of the field.
func faultsOfValue(t *testing.T, f core.Field, raw string) core.Faults {
	t.Helper()
	c := oneField(f)
	in, err := checkFields(t.Context(), plainHasher{}, core.SystemActor, c, core.WrittenFields{Raw: map[string]json.RawMessage{"f": json.RawMessage(raw)}}, nil)
	require.NoError(t, err)
	if len(in.Faults) > 0 {
		return core.Faults{List: in.Faults}
	}
	return validation.Document(c, in.Values, nil)
}

func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	fields := map[string]json.RawMessage{strings.Repeat("x", 10_000): json.RawMessage("1")}
	for i := range 500 {
		fields["unknown"+fieldtype.FormatNumber(float64(i))] = json.RawMessage("1")
	}
	in, err := checkFields(t.Context(), plainHasher{}, core.SystemActor, oneField(core.Field{Type: core.TypeText}), core.WrittenFields{Raw: fields}, nil)
	require.NoError(t, err)
	require.Len(t, in.Faults, core.MaxFaults)
	for _, f := range in.Faults {
		require.Less(t, len(f.Location), 2*200)
	}
}

// FuzzFields checks that any JSON is refused or becomes a canonical value, which is
// accepted unchanged.
func FuzzFields(f *testing.F) {
	types := fieldtype.Names(nil)
	for _, seed := range []string{
		`"a"`, `"<b>&amp;<i x=1>"`, `1e21`, `-0`, `[1,"2",null]`, `{"a":[{}]}`, `"2024-02-29"`, `"23:59:59.999"`,
		`"2024-02-29T23:59:59.9999+14:00"`, `"\ud83d\ude00"`, `"\ud800"`, `"#FFF000"`, `tru`, `[[[]]]`, `"\u2028"`,
	} {
		for i := range types {
			f.Add(seed, uint8(i), i%2 == 0)
		}
	}
	f.Fuzz(func(t *testing.T, raw string, which uint8, multiple bool) {
		field := core.Field{Type: types[int(which)%len(types)], Multiple: multiple, Choices: []string{"a"}}
		value, ok := canonicalAs(t, field, raw)
		if !ok {
			return
		}
		canonical, err := jcs.Transform([]byte(value))
		require.NoError(t, err)
		require.Equal(t, string(canonical), value)
		if field.Type == core.TypePassword {
			return // hashes are not passwords
		}
		again, ok := canonicalAs(t, field, value)
		require.True(t, ok, "the canonical value %s was refused", value)
		require.Equal(t, value, again)
	})
}

// canonicalAs returns the canonical value of raw for field, unless it is refused or cleared.
func canonicalAs(t *testing.T, field core.Field, raw string) (string, bool) {
	in, err := checkFields(t.Context(), plainHasher{}, core.SystemActor, oneField(field), core.WrittenFields{Raw: map[string]json.RawMessage{"f": json.RawMessage(raw)}}, nil)
	require.NoError(t, err)
	if len(in.Faults) > 0 {
		require.False(t, slices.ContainsFunc(in.Faults, func(e core.FieldError) bool {
			return e.Message == "" || !strings.HasPrefix(e.Location, "fields.f")
		}))
		return "", false
	}
	return string(in.Values["f"]), in.Values["f"] != nil
}
