package files_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/httpx"
)

// TestRenditionQueries checks which rendition each query asks for.
func TestRenditionQueries(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for query, want := range map[string]string{
		"w=640":                            "1-640x0-inside-q75.jpg",
		"w=640&fit=inside&q=75":            "1-640x0-inside-q75.jpg",
		"q=75&w=640&format=jpeg&fit=cover": "1-640x0-inside-q75.jpg",
		"w=640&fit=cover&fp=0.1,0.2":       "1-640x0-inside-q75.jpg",
		"w=640&v=2&utm_source=a":           "1-640x0-inside-q75.jpg",
		"w=640&h=480":                      "1-640x480-inside-q75.jpg",
		"h=480&w=640&fit=contain&q=40":     "1-640x480-contain-q40.jpg",
		"w=640&h=480&fit=cover":            "1-640x480-cover-5-5-q75.jpg",
		"fp=0.5,0.5&w=640&h=480&fit=cover": "1-640x480-cover-5-5-q75.jpg",
		"w=640&h=480&fit=cover&fp=0,1":     "1-640x480-cover-0-10-q75.jpg",
		"w=640&h=480&fit=cover&fp=0.0,1.0": "1-640x480-cover-0-10-q75.jpg",
		"w=640&h=480&fit=cover&fp=0.3,0.7": "1-640x480-cover-3-7-q75.jpg",
		"w=640&h=480&fit=cover&fp=0.3%2C1": "1-640x480-cover-3-10-q75.jpg",
		"w=640&format=webp&q=95":           "1-640x0-inside-q95.webp",
		"w=640&format=png":                 "1-640x0-inside-q0.png",
		"w=640&format=png&q=40":            "1-640x0-inside-q0.png",
		"format=webp":                      "1-3840x3840-inside-q75.webp",
		"w=3840&h=3840&format=webp":        "1-3840x3840-inside-q75.webp",
		"q=60":                             "1-3840x3840-inside-q60.jpg",
		"fit=cover":                        "1-3840x3840-inside-q75.jpg",
		"w=640&ar=16:9":                    "1-640x360-cover-5-5-q75.jpg",
		"w=640&ar=16%3A9&fit=cover":        "1-640x360-cover-5-5-q75.jpg",
		"ar=4:3&w=640":                     "1-640x480-cover-5-5-q75.jpg",
		"w=640&ar=1:1&fp=0.3,0.7":          "1-640x640-cover-3-7-q75.jpg",
		"w=1200&ar=1200:630":               "1-1200x630-cover-5-5-q75.jpg",
		"w=64&ar=21:9":                     "1-64x27-cover-5-5-q75.jpg",
		"w=828&ar=16:9":                    "1-828x466-cover-5-5-q75.jpg",
		"w=750&ar=4:5":                     "1-750x938-cover-5-5-q75.jpg",
		"w=3840&ar=9:21":                   "1-3840x8960-cover-5-5-q75.jpg",
		"w=96&ar=630:1200&format=webp":     "1-96x183-cover-5-5-q75.webp",
		"v=2":                              "",
		"W=640":                            "",
		"%zz":                              "",
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			s := &fixture{t, s.blobs, s.handler}
			folder := s.put(".jpg", "a picture")
			res := s.send("GET", folder+"/a.jpg?"+query)
			require.Equal(t, 200, res.Code, res.Body)
			hash := folder[strings.LastIndexByte(folder, '/')+1:]
			if want == "" {
				assert.Equal(t, "a picture", res.Body.String())
				assert.Equal(t, `"`+hash+`"`, res.Header().Get("ETag"))
				return
			}
			assert.Equal(t, want+" of a picture", res.Body.String())
			assert.Equal(t, `"`+hash+"-"+want+`"`, res.Header().Get("ETag"))
			there, err := s.blobs.Exists(t.Context(), strings.TrimPrefix(folder, "/files/")+"/"+want)
			require.NoError(t, err)
			assert.True(t, there, "it is stored under one name")
		})
	}
}

// TestRenditionFaults checks that a query that is not admitted is refused, with the nearest admitted
// value.
func TestRenditionFaults(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for query, want := range map[string]string{
		"w=100":                        "parameter w must be one of 64, 96, 128, 160, 240, 320, 480, 640, 750, 828, 960, 1080, 1200, 1440, 1600, 1920, 2048, 2560, 3840; the nearest is 96",
		"w=112":                        "the nearest is 128",
		"w=0":                          "the nearest is 64",
		"w=4000":                       "the nearest is 3840",
		"w=99999999999999999999999999": "the nearest is 3840",
		"w=-64":                        "parameter w must be one of 64",
		"w=":                           "parameter w must be one of",
		"w=064":                        "the nearest is 64",
		"w=64.0":                       "parameter w must be one of",
		"w=64&w=64":                    "parameter w is given more than once",
		"w=64&h=65":                    "parameter h must be one of 64, 96, 128, 160, 240, 320, 480, 640, 750, 828, 960, 1080, 1200, 1440, 1600, 1920, 2048, 2560, 3840; the nearest is 64",
		"h=64":                         "parameter h needs parameter w",
		"w=64&q=80":                    "parameter q must be one of 40, 60, 75, 85, 95; the nearest is 85",
		"w=64&q=100":                   "the nearest is 95",
		"w=64&fit=crop":                "parameter fit must be one of inside, cover, contain; the nearest is cover",
		"w=64&fit=Cover":               "the nearest is cover",
		"w=64&fit=x":                   "parameter fit must be one of inside, cover, contain",
		"w=64&fit=":                    "parameter fit must be one of",
		"w=64&format=jpg":              "parameter format must be one of auto, webp, jpeg, png; the nearest is jpeg",
		"w=64&format=avif":             "the nearest is webp",
		"w=64&fp=0.5,0.5":              "parameter fp needs parameter fit=cover",
		"w=64&fit=contain&fp=0,0":      "parameter fp needs parameter fit=cover",
		"w=64&fit=cover&fp=0.33,.78":   "the nearest is 0.3,0.8",
		"w=64&fit=cover&fp=2,0.5":      "the nearest is 1,0.5",
		"w=64&fit=cover&fp=0.30,0.5":   "the nearest is 0.3,0.5",
		"w=64&fit=cover&fp=-1,0":       "parameter fp must be two numbers from 0 to 1 in tenths, like 0.3,0.7",
		"w=64&fit=cover&fp=0.5":        "parameter fp must be two numbers from 0 to 1 in tenths, like 0.3,0.7",
		"w=64&fit=cover&fp=NaN,0":      "parameter fp must be two numbers",
		"w=64&ar=16:10":                "parameter ar must be one of 1:1, 5:4, 4:3, 3:2, 16:9, 2:1, 21:9, 1200:630, 4:5, 3:4, 2:3, 9:16, 1:2, 9:21, 630:1200; the nearest is 3:2",
		"w=64&ar=32:18":                "the nearest is 16:9",
		"w=64&ar=99999:1":              "the nearest is 21:9",
		"w=64&ar=1:99999":              "the nearest is 9:21",
		"w=64&ar=16/9":                 "parameter ar must be one of 1:1",
		"w=64&ar=0:1":                  "parameter ar must be one of 1:1",
		"w=64&ar=100000:1":             "parameter ar must be one of 1:1",
		"w=64&ar=":                     "parameter ar must be one of 1:1",
		"w=64&ar=1:1&ar=1:1":           "parameter ar is given more than once",
		"ar=16:9":                      "parameter ar needs parameter w",
		"w=640&h=480&ar=4:3":           "parameter ar takes the place of parameter h",
		"w=64&ar=1:1&fit=contain":      "parameter fit must be cover or omitted beside parameter ar",
		"w=64&ar=1:1&fit=inside":       "parameter fit must be cover or omitted beside parameter ar",
		"w=64&x=%zz":                   "the query is malformed",
		"w=%zz":                        "the query is malformed",
		"x=1&w=64%":                    "the query is malformed",
		"w=64;h=64":                    "",
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			s := &fixture{t, s.blobs, s.handler}
			for _, method := range []string{"GET", "HEAD"} {
				res := s.send(method, s.put(".jpg", "a picture")+"/a.jpg?"+query)
				if want == "" { // no parameter: servers and proxies read semicolons differently
					require.Equal(t, 200, res.Code)
					continue
				}
				require.Equal(t, 400, res.Code)
				assert.Equal(t, httpx.ProblemType, res.Header().Get("Content-Type"))
				assert.Equal(t, "no-store", res.Header().Get("Cache-Control"))
				assert.Contains(t, res.Body.String(), want)
			}
		})
	}
	for extension, mimeType := range map[string]string{".svg": "image/svg+xml", ".mp4": "video/mp4", ".pdf": "application/pdf", ".txt": "text/plain"} {
		for _, query := range []string{"w=64", "q=75", "format=auto", "w=1"} {
			res := s.send("GET", s.put(extension, "a file")+"/a"+extension+"?"+query)
			require.Equal(t, 400, res.Code)
			require.Contains(t, res.Body.String(), "applies to JPEG, PNG, GIF and WebP, and this file is "+mimeType)
		}
	}
	res := s.send("GET", "/files/"+project+"/"+strings.Repeat("0", 64)+"/a.jpg?w=64")
	require.Equal(t, 404, res.Code)
}

// TestRenditionFormats checks the default of each type of file, and what format=auto depends on.
func TestRenditionFormats(t *testing.T) {
	t.Parallel()
	const browser = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"
	for name, c := range map[string]struct {
		extension, query, accept string
		want, contentType        string
	}{
		"JPEG":                      {".jpg", "w=64", browser, "1-64x0-inside-q75.jpg", "image/jpeg"},
		"PNG":                       {".png", "w=64", browser, "1-64x0-inside-q0.png", "image/png"},
		"GIF":                       {".gif", "w=64", "", "1-64x0-inside-q75.webp", "image/webp"},
		"WebP":                      {".webp", "w=64", "", "1-64x0-inside-q75.webp", "image/webp"},
		"auto in a browser":         {".jpg", "w=64&format=auto", browser, "1-64x0-inside-q75.webp", "image/webp"},
		"auto, PNG, quality":        {".png", "w=64&format=auto&q=60", "image/webp", "1-64x0-inside-q60.webp", "image/webp"},
		"auto, PNG, none":           {".png", "w=64&format=auto&q=60", "image/*", "1-64x0-inside-q0.png", "image/png"},
		"auto without Accept":       {".jpg", "w=64&format=auto", "", "1-64x0-inside-q75.jpg", "image/jpeg"},
		"auto with any type":        {".jpg", "w=64&format=auto", "*/*", "1-64x0-inside-q75.jpg", "image/jpeg"},
		"auto with WebP refused":    {".jpg", "w=64&format=auto", "image/webp;q=0, */*", "1-64x0-inside-q75.jpg", "image/jpeg"},
		"auto with a low weight":    {".jpg", "w=64&format=auto", "image/png, image/webp;q=0.1", "1-64x0-inside-q75.webp", "image/webp"},
		"auto, GIF, without Accept": {".gif", "w=64&format=auto", "", "1-64x0-inside-q75.webp", "image/webp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			path := s.put(c.extension, "a picture") + "/harbour" + c.extension + "?" + c.query
			for _, header := range [][]string{{"Accept", c.accept}, {"Accept", c.accept, "If-None-Match", "x"}} {
				res := s.send("GET", path, header...)
				require.Equal(t, 200, res.Code)
				require.Equal(t, c.want+" of a picture", res.Body.String())
				require.Equal(t, c.contentType, res.Header().Get("Content-Type"))
				extension := strings.Replace(strings.TrimPrefix(c.contentType, "image/"), "jpeg", "jpg", 1)
				require.Equal(t, "inline; filename=harbour."+extension, res.Header().Get("Content-Disposition"))
				require.Equal(t, "public, max-age=31536000, immutable", res.Header().Get("Cache-Control"))
				require.Equal(t, "cross-origin", res.Header().Get("Cross-Origin-Resource-Policy"))
				require.Equal(t, "nosniff", res.Header().Get("X-Content-Type-Options"))
				tag := res.Header().Get("ETag")
				unchanged := s.send("GET", path, "Accept", c.accept, "If-None-Match", tag)
				require.Equal(t, http.StatusNotModified, unchanged.Code)
				for _, res := range []*httptest.ResponseRecorder{res, unchanged, s.send("HEAD", path, "Accept", c.accept)} {
					require.Equal(t, tag, res.Header().Get("ETag"))
					require.Equal(t, strings.Contains(c.query, "auto"), strings.Contains(strings.Join(res.Header().Values("Vary"), ","), "Accept"), res.Header())
				}
			}
		})
	}
}

// TestRangesOfRenditions checks that renditions are served like files, when they are made and when they
// are stored.
func TestRangesOfRenditions(t *testing.T) {
	t.Parallel()
	forEachStore(t, func(t *testing.T, s *fixture) {
		path := s.put(".jpg", "a picture") + "/a.jpg?w=64"
		const whole = "1-64x0-inside-q75.jpg of a picture"
		for range 2 {
			head := s.send("HEAD", path)
			require.Equal(t, 200, head.Code)
			require.Equal(t, "34", head.Header().Get("Content-Length"))
			require.Empty(t, head.Body.String())
			res := s.send("GET", path, "Range", "bytes=0-3")
			require.Equal(t, 206, res.Code)
			require.Equal(t, whole[:4], res.Body.String())
			require.Equal(t, "bytes 0-3/34", res.Header().Get("Content-Range"))
			require.Equal(t, 416, s.send("GET", path, "Range", "bytes=34-").Code)
			require.Equal(t, whole, s.send("GET", path).Body.String())
		}
		for _, method := range []string{"POST", "PUT", "DELETE"} {
			require.Equal(t, 405, s.send(method, path).Code)
		}
	})
}

// TestMovedRenditions keeps the query in the redirect from the URL of a picture before it was cleaned.
func TestMovedRenditions(t *testing.T) {
	t.Parallel()
	s := setup(t)
	res := s.send("GET", "/files/"+project+"/"+oldHash+"/a.jpg?w=64&format=webp&v=1")
	require.Equal(t, http.StatusMovedPermanently, res.Code)
	require.Equal(t, "../"+strings.Repeat("1e", 32)+"/a.jpg?w=64&format=webp&v=1", res.Header().Get("Location"))
}
