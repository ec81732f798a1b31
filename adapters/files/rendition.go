package files

import (
	"cmp"
	"fmt"
	"math"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
	"imprimatur/core/fileurl"
	"imprimatur/core/media"
	"imprimatur/core/rendition"
)

// The values of the query parameters of renditions. Few of them are admitted, so that requests for
// almost the same picture share one.
var (
	sides     = []int{64, 96, 128, 160, 240, 320, 480, 640, 750, 828, 960, 1080, 1200, 1440, 1600, 1920, 2048, 2560, 3840}
	qualities = []int{40, 60, 75, 85, 95}
	fits      = []string{string(rendition.FitInside), string(rendition.FitCover), string(rendition.FitContain)}
	formats   = []string{"auto", string(rendition.WebP), string(rendition.JPEG), string(rendition.PNG)}
	ratios    = []string{
		"1:1", "5:4", "4:3", "3:2", "16:9", "2:1", "21:9", "1200:630",
		"4:5", "3:4", "2:3", "9:16", "1:2", "9:21", "630:1200",
	}
)

// parameters are the names of the query parameters that ask for a rendition.
var parameters = []string{"w", "h", "ar", "fit", "fp", "format", "q"}

// defaultQuality is the quality unless q is given.
const defaultQuality = 75

// asked is what the query of a URL asks for.
type asked struct {
	rendition.Rendition
	auto bool // the format depends on the request; Format is empty
}

// parseRendition parses the query of a URL:
//
//	w, h     width and height of the box in pixels, out of sides; h only with w. Without w, the box is
//	         as large as the largest.
//	ar       the ratio of width and height, out of ratios, in place of h; only with w, and fit is cover
//	fit      inside (default), cover or contain; they differ only with h
//	fp       the focal point of cover as x,y in tenths, such as 0.3,0.7; the default is 0.5,0.5
//	format   webp, jpeg, png, or auto: WebP if the request accepts it, else the default. The default is
//	         that of the file, and WebP for GIF.
//	q        quality of JPEG and WebP, out of qualities; the default is defaultQuality
//
// wanted is false if the query has none of them. Any other value is core.KindBadRequest, and the fault
// names the nearest admitted one. Equal pictures have equal results.
func parseRendition(rawQuery string, t media.FileType, picture bool) (a asked, wanted bool, err error) {
	if rawQuery == "" {
		return a, false, nil
	}
	query, malformed := url.ParseQuery(rawQuery)
	given := func(name string) bool { return query.Has(name) }
	switch {
	case malformed != nil && slices.ContainsFunc(parameters, namedIn(rawQuery)):
		return a, false, core.BadRequest("bad_parameter", "the query is malformed")
	case !slices.ContainsFunc(parameters, given):
		return a, false, nil
	case !picture:
		first := parameters[slices.IndexFunc(parameters, given)]
		return a, false, core.BadParameter(first, nil, fmt.Sprintf("applies to JPEG, PNG, GIF and WebP, and this file is %s", t.MIME))
	}
	p := parser{query: query}
	a.Width, a.Height = p.number("w", sides, 0), p.number("h", sides, 0)
	a.Fit = rendition.Fit(p.word("fit", fits))
	across, down, shaped := p.ratio("ar")
	a.FocalX, a.FocalY = p.point("fp")
	a.Format = rendition.Format(p.word("format", formats))
	a.Quality = p.number("q", qualities, defaultQuality)
	switch {
	case p.fault != nil:
		return a, false, p.fault
	case a.Height != 0 && a.Width == 0:
		return a, false, core.BadParameter("h", nil, "needs parameter w")
	case shaped && a.Width == 0:
		return a, false, core.BadParameter("ar", nil, "needs parameter w")
	case shaped && a.Height != 0:
		return a, false, core.BadParameter("ar", nil, "takes the place of parameter h: one of them must be omitted")
	case shaped && a.Fit != rendition.FitCover && a.Fit != "":
		return a, false, core.BadParameter("fit", a.Fit, "must be cover or omitted beside parameter ar")
	case shaped:
		a.Fit, a.Height = rendition.FitCover, (2*a.Width*down+across)/(2*across)
	case given("fp") && a.Fit != rendition.FitCover:
		return a, false, core.BadParameter("fp", nil, "needs parameter fit=cover")
	}
	return a.canonical(t), true, nil
}

// namedIn returns a function that reports whether a malformed query names a parameter. Parts with a
// semicolon name none: servers and proxies read them differently.
func namedIn(rawQuery string) func(name string) bool {
	var names []string
	for part := range strings.SplitSeq(rawQuery, "&") {
		if name, _, _ := strings.Cut(part, "="); !strings.Contains(part, ";") {
			names = append(names, name)
		}
	}
	return func(name string) bool { return slices.Contains(names, name) }
}

// canonical returns a with its defaults, and without what has no effect.
func (a asked) canonical(t media.FileType) asked {
	if a.Width == 0 {
		a.Width, a.Height = sides[len(sides)-1], sides[len(sides)-1]
		a.Fit = rendition.FitInside
	}
	if a.Height == 0 || a.Fit == "" {
		a.Fit = rendition.FitInside
	}
	if a.Fit != rendition.FitCover {
		a.FocalX, a.FocalY = 0, 0
	}
	switch a.Format {
	case "auto":
		a.auto, a.Format = true, ""
	case "":
		a.Format = formatOf(t)
	}
	return a
}

// of returns the rendition for a request with the header.
func (a asked) of(t media.FileType, header http.Header) rendition.Rendition {
	r := a.Rendition
	if a.auto {
		r.Format = formatOf(t)
		if acceptsWebP(header) {
			r.Format = rendition.WebP
		}
	}
	if r.Format == rendition.PNG {
		r.Quality = 0
	}
	return r
}

// formatOf returns the format of renditions of files of a type.
func formatOf(t media.FileType) rendition.Format {
	switch t.MIME {
	case "image/jpeg":
		return rendition.JPEG
	case "image/png":
		return rendition.PNG
	default:
		return rendition.WebP
	}
}

// acceptsWebP reports whether a request names WebP among the types that it accepts. Browsers that show
// WebP do; */* says nothing.
func acceptsWebP(header http.Header) bool {
	for _, accepted := range strings.Split(strings.Join(header.Values("Accept"), ","), ",") {
		name, params, err := mime.ParseMediaType(strings.TrimSpace(accepted))
		if err != nil || name != "image/webp" {
			continue
		}
		weight, err := strconv.ParseFloat(params["q"], 64)
		return err != nil || weight > 0
	}
	return false
}

// renamed returns the file and the type of a rendition of f. Its hash is that of the address with the
// rendition, for the ETag.
func renamed(f fileurl.File, r rendition.Rendition) (fileurl.File, media.FileType) {
	extension := r.Format.Extension()
	t, _ := media.TypeOf(extension)
	f.Name = fileurl.Name(f.Name, extension)
	f.Hash += "-" + r.Key()
	return f, t
}

// parser reads parameters and keeps the first fault.
type parser struct {
	query url.Values
	fault error
}

func (p *parser) refuse(name, format string, args ...any) {
	if p.fault == nil {
		p.fault = core.BadParameter(name, core.Clip(p.query.Get(name)), fmt.Sprintf(format, args...))
	}
}

// text returns the value of a parameter, or false if it is not given.
func (p *parser) text(name string) (string, bool) {
	values := p.query[name]
	if len(values) > 1 {
		p.refuse(name, "is given more than once")
	}
	return p.query.Get(name), len(values) > 0
}

// number returns the value of a parameter, one of admitted, or absent.
func (p *parser) number(name string, admitted []int, absent int) int {
	text, given := p.text(name)
	if !given {
		return absent
	}
	n, err := strconv.Atoi(text)
	if err != nil && !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) && text != "" {
		n, err = admitted[len(admitted)-1]+1, nil // larger than an int
	}
	if err != nil {
		p.refuse(name, "must be one of %s", list(admitted))
		return absent
	}
	if at, found := slices.BinarySearch(admitted, n); !found || strconv.Itoa(n) != text {
		p.refuse(name, "must be one of %s; the nearest is %d", list(admitted), nearest(admitted, n, at))
	}
	return n
}

// nearest returns the value of admitted that is nearest to n, the larger of two. at is the place of n.
func nearest(admitted []int, n, at int) int {
	switch {
	case at == len(admitted):
		return admitted[at-1]
	case at > 0 && n-admitted[at-1] < admitted[at]-n:
		return admitted[at-1]
	}
	return admitted[at]
}

func list(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

// word returns the value of a parameter, one of admitted, or "".
func (p *parser) word(name string, admitted []string) string {
	text, given := p.text(name)
	if given && !slices.Contains(admitted, text) {
		lower := strings.ToLower(text)
		if near := cmp.Or(aliases[lower], lower); slices.Contains(admitted, near) {
			p.refuse(name, "must be one of %s; the nearest is %s", strings.Join(admitted, ", "), near)
		}
		p.refuse(name, "must be one of %s", strings.Join(admitted, ", "))
	}
	return text
}

// ratio returns the value of a parameter, one of ratios, or false if it is not given.
func (p *parser) ratio(name string) (across, down int, given bool) {
	text, given := p.text(name)
	if !given {
		return 0, 0, false
	}
	across, down, ok := parseRatio(text)
	switch {
	case slices.Contains(ratios, text):
	case ok:
		p.refuse(name, "must be one of %s; the nearest is %s", strings.Join(ratios, ", "), nearestRatio(across, down))
	default:
		p.refuse(name, "must be one of %s", strings.Join(ratios, ", "))
	}
	return across, down, true
}

// parseRatio parses a ratio of two positive numbers with at most five digits, such as 16:9.
func parseRatio(text string) (across, down int, ok bool) {
	match := ratioForm.FindStringSubmatch(text)
	if match == nil {
		return 0, 0, false
	}
	across, _ = strconv.Atoi(match[1])
	down, _ = strconv.Atoi(match[2])
	return across, down, true
}

var ratioForm = regexp.MustCompile(`^([1-9]\d{0,4}):([1-9]\d{0,4})$`)

// nearestRatio returns the ratio whose quotient with across:down is nearest to 1.
func nearestRatio(across, down int) string {
	distance := func(text string) float64 {
		a, d, _ := parseRatio(text)
		return math.Abs(math.Log(float64(across) * float64(d) / (float64(down) * float64(a))))
	}
	return slices.MinFunc(ratios, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
}

// aliases are what other services call the values.
var aliases = map[string]string{
	"jpg": "jpeg", "gif": "webp", "avif": "webp", "crop": "cover", "fill": "cover", "outside": "cover", "pad": "contain", "max": "inside", "clip": "inside",
	"scale-down": "inside",
}

var pointForm = regexp.MustCompile(`^(\d+(?:\.\d*)?|\.\d+),(\d+(?:\.\d*)?|\.\d+)$`)

// tenthForm is a coordinate in tenths from 0 to 1.
var tenthForm = regexp.MustCompile(`^(0(\.\d)?|1(\.0)?)$`)

// point returns the value of a parameter with two coordinates in tenths, or the centre.
func (p *parser) point(name string) (x, y int) {
	text, given := p.text(name)
	if !given {
		return 5, 5
	}
	match := pointForm.FindStringSubmatch(text)
	if match == nil {
		p.refuse(name, "must be two numbers from 0 to 1 in tenths, like 0.3,0.7")
		return 5, 5
	}
	x, y = tenths(match[1]), tenths(match[2])
	if !tenthForm.MatchString(match[1]) || !tenthForm.MatchString(match[2]) {
		p.refuse(name, "must be two numbers from 0 to 1 in tenths; the nearest is %s,%s", tenthText(x), tenthText(y))
	}
	return x, y
}

// tenths returns a number in tenths, at most 10.
func tenths(text string) int {
	v, _ := strconv.ParseFloat(text, 64) // infinite if it is too large
	return int(min(v, 1)*10 + 0.5)
}

func tenthText(n int) string { return strconv.FormatFloat(float64(n)/10, 'f', -1, 64) }
