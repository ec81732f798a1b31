package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"image"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "golang.org/x/image/webp"

	"imprimatur/adapters/imaging"
	"imprimatur/test/exiftool"
	"imprimatur/test/program"
)

// place is in every tag that must go.
const place = "Hammerfest"

// placeTags say where a picture was taken, and who carried the camera.
var placeTags = []string{
	"-EXIF:GPSLatitude=70.66336", "-EXIF:GPSLatitudeRef=N", "-EXIF:GPSLongitude=23.68209", "-EXIF:GPSLongitudeRef=E", "-EXIF:GPSAltitude=12",
	"-EXIF:GPSImgDirection=90", "-EXIF:GPSDestLatitude=71", "-EXIF:GPSDestLatitudeRef=N", "-EXIF:GPSMapDatum=" + place, "-EXIF:GPSDateStamp=2026:01:02",
	"-EXIF:GPSAreaInformation=" + place, "-EXIF:GPSProcessingMethod=" + place, "-EXIF:UserComment=" + place, "-EXIF:XPComment=" + place, "-EXIF:XPSubject=" + place,
	"-EXIF:SerialNumber=" + place, "-EXIF:OwnerName=" + place, "-EXIF:ImageUniqueID=" + place, "-EXIF:HostComputer=" + place, "-EXIF:GeoTiffAsciiParams=" + place,
	"-XMP-exif:GPSLatitude=70.66336", "-XMP-exif:GPSLongitude=23.68209", "-XMP-exif:GPSAltitude=12", "-XMP-exif:GPSAreaInformation=" + place, "-XMP-exif:UserComment=" + place,
	"-XMP-photoshop:City=" + place, "-XMP-photoshop:State=" + place, "-XMP-photoshop:Country=" + place, "-XMP-iptcCore:Location=" + place, "-XMP-iptcCore:CountryCode=" + place,
	"-XMP-iptcCore:CreatorCity=" + place, "-XMP-iptcCore:CreatorAddress=" + place, "-XMP-iptcExt:LocationCreatedCity=" + place, "-XMP-iptcExt:LocationCreatedGPSLatitude=70.66",
	"-XMP-iptcExt:LocationShownCountryName=" + place, "-XMP-iptcExt:LocationShownSublocation=" + place, "-XMP-dc:Coverage=" + place, "-XMP-lr:HierarchicalSubject=" + place,
	"-XMP-plus:LicensorCity=" + place, "-XMP-xmpDM:ShotLocation=" + place, "-XMP-GPano:PoseHeadingDegrees=90", "-XMP-aux:OwnerName=" + place, "-XMP-xmpMM:DocumentID=" + place,
	"-XMP-digiKam:CaptionsAuthorNames=" + place, "-XMP-x:XMPToolkit=" + place,
}

// iptcTags are placeTags of JPEG.
var iptcTags = []string{
	"-IPTC:City=" + place, "-IPTC:Sub-location=" + place, "-IPTC:Province-State=" + place, "-IPTC:Country-PrimaryLocationName=" + place,
	"-IPTC:Country-PrimaryLocationCode=NOR", "-IPTC:ContentLocationName=" + place, "-IPTC:CopyrightNotice=(c) Ada", "-IPTC:By-line=Ada", "-Comment=" + place,
}

// keptTags stay.
var keptTags = []string{
	"-EXIF:Orientation#=6", "-EXIF:Copyright=(c) Ada", "-EXIF:Artist=Ada", "-EXIF:Make=Camera", "-EXIF:DateTimeOriginal=2026:01:02 03:04:05", "-EXIF:FNumber=2.8",
	"-XMP-dc:Rights=(c) Ada", "-XMP-dc:Rights-de=(c) Ada & Söhne", "-XMP-dc:Creator=Ada", "-XMP-dc:Creator=Charles", "-XMP-photoshop:Credit=Agency", "-XMP-xmpRights:WebStatement=https://example.com/rights",
	"-XMP-dc:Subject=harbour", "-XMP-iptcExt:DigitalSourceType=http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture",
}

// colours is the header of a colour profile.
func colours() []byte {
	profile := make([]byte, 132)
	profile[3] = 132
	copy(profile[12:], "mntrRGB XYZ ")
	copy(profile[36:], "acsp")
	return profile
}

// located returns pictures with all tags, by file name.
func located(t *testing.T) map[string][]byte {
	t.Helper()
	renditions, err := imaging.New(imaging.Options{}).Renditions(t.Context(), bytes.NewReader(pngOf(300, 200)), "image/png")
	ok(t, err)
	profile := filepath.Join(t.TempDir(), "a.icc")
	if err := os.WriteFile(profile, colours(), 0o600); err != nil {
		t.Fatal(err)
	}
	tags := slices.Concat(placeTags, keptTags, []string{"-icc_profile<=" + profile})
	jpg := exiftool.Write(t, jpegOf(300, 200), append(slices.Clone(tags), iptcTags...)...)
	return map[string][]byte{
		"a.jpg":  append(slices.Clone(jpg), jpg...), // like a motion photo or a depth map
		"a.png":  exiftool.Write(t, pngOf(300, 200), append(slices.Clone(tags), "-PNG:Comment="+place, "-PNG:Copyright=(c) Ada")...),
		"z.png":  exiftool.Write(t, pngOf(300, 200), append(slices.Clone(tags), "-z")...),
		"a.webp": exiftool.Write(t, renditions.FullWebP.Bytes, tags...),
		"a.gif":  exiftool.Write(t, gifOf(3), "-XMP-photoshop:City="+place, "-Comment="+place),
	}
}

var placeName = regexp.MustCompile(`GPS|City|State$|Country|Location|Region|Address|Serial|Owner|UserComment|HierarchicalSubject`)

// wantNoPlace requires that a file tells no place. tags are those that ExifTool found in it.
func wantNoPlace(t *testing.T, name string, file []byte, tags map[string]any) {
	t.Helper()
	for tag, value := range tags {
		if placeName.MatchString(tag) || strings.Contains(fmt.Sprint(value), place) {
			t.Errorf("%s: %s is %v", name, tag, value)
		}
	}
	if bytes.Contains(file, []byte(place)) {
		t.Errorf("%s contains %s", name, place)
	}
}

// wantSamePixels requires that both files have the same pixels.
func wantSamePixels(t *testing.T, name string, before, after []byte) {
	t.Helper()
	a, _, err := image.Decode(bytes.NewReader(before))
	ok(t, err)
	b, _, err := image.Decode(bytes.NewReader(after))
	ok(t, err)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s: the pixels differ", name)
	}
}

// wantKept requires that colours, orientation and rights are the same.
func wantKept(t *testing.T, name string, was, is map[string]any) {
	t.Helper()
	for _, tag := range []string{
		"EXIF:Orientation", "EXIF:Copyright", "EXIF:Artist", "EXIF:Make", "EXIF:DateTimeOriginal", "EXIF:FNumber", "XMP:Rights", "XMP:Creator", "XMP:Credit", "XMP:WebStatement",
		"XMP:Subject", "XMP:DigitalSourceType", "IPTC:CopyrightNotice", "IPTC:By-line", "PNG:Copyright", "ICC_Profile:ProfileFileSignature", "ICC_Profile:ColorSpaceData",
	} {
		if !reflect.DeepEqual(was[tag], is[tag]) {
			t.Errorf("%s: %s was %v, is %v", name, tag, was[tag], is[tag])
		}
	}
	if !strings.HasSuffix(name, ".gif") && (is["EXIF:Orientation"] != 6.0 || is["XMP:Rights"] == nil) {
		t.Errorf("%s has %v", name, is)
	}
}

func hashOf(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// wantClean requires that the item has a clean file and clean renditions, and that its file is found
// at the address of the uploaded bytes too.
func wantClean(t *testing.T, name string, item mediaItem, uploaded []byte) {
	t.Helper()
	original := call(t, "GET", item.FullURL, "").body
	if item.Hash != hashOf(original) || item.Size != len(original) || !strings.Contains(item.FullURL, item.Hash) {
		t.Errorf("%s: %+v has another hash or size than its file", name, item)
	}
	files := [][]byte{uploaded, original}
	for _, url := range []string{item.ThumbURL, item.ThumbWebPURL, item.FullWebPURL} {
		if url == "" && strings.HasSuffix(name, ".gif") {
			continue // an animation
		}
		a := call(t, "GET", url, "")
		if a.status != http.StatusOK {
			t.Errorf("%s: %s answers %d", name, url, a.status)
		}
		files = append(files, a.body)
	}
	tags := exiftool.Read(t, files...)
	if !strings.Contains(fmt.Sprint(tags[0]), place) {
		t.Fatalf("%s was uploaded without places", name)
	}
	for i, file := range files[1:] {
		wantNoPlace(t, fmt.Sprint(name, " ", i), file, tags[i+1])
	}
	wantSamePixels(t, name, uploaded, original)
	wantKept(t, name, tags[0], tags[1])
	if a := call(t, "GET", strings.Replace(item.FullURL, item.Hash, hashOf(uploaded), 1), ""); a.status != http.StatusOK || !bytes.Equal(a.body, original) {
		t.Errorf("%s: the address of the uploaded bytes answers %d", name, a.status)
	}
}

// TestLocation uploads pictures with every place that ExifTool writes, through both APIs, and
// reads what is served.
func TestLocation(t *testing.T) {
	t.Parallel()
	pictures := located(t)
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			s.create(t, fmt.Sprintf("/projects/%d/collections", s.project), `{"slug":"albums","name":"Albums","fields":[{"name":"title","type":"text"},{"name":"cover","type":"media"}]}`)
			public, dashboard := s.base+s.fill("{P}/media/upload"), s.base+s.fill("{project}/media/upload")
			token := "Authorization: Bearer " + s.tokens["full"]
			var lines strings.Builder
			for name, file := range pictures {
				item := upload(t, public, newForm().file(name, file).end(), token)
				again := upload(t, dashboard, newForm().file(name, file).end(), s.session...)
				if again.FullURL != item.FullURL {
					t.Errorf("%s: equal files are stored at %s and %s", name, item.FullURL, again.FullURL)
				}
				wantClean(t, name, item, file)
				fmt.Fprintf(&lines, `{"fields":{"title":%q},"media":{"cover":{"hash":%q}}}`+"\n", name, hashOf(file))
				fmt.Fprintf(&lines, `{"fields":{"title":%q},"media":{"cover":{"hash":%q}}}`+"\n", name, item.Hash)
			}
			out, diagnostics, err := program.Run(t, lines.String(), "import", "--database-url", s.database, "--project", s.uuid, "--collection", "albums", "-")
			if want := fmt.Sprint(2*len(pictures), " created, 0 updated, 0 unchanged, 0 lines refused"); err != nil || !strings.Contains(out, want) {
				t.Errorf("import by hashes: %v %s%s", err, out, diagnostics)
			}
		})
	}
}

// TestKeepLocation keeps the places of a project's pictures, and removes them later.
func TestKeepLocation(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			if a := call(t, "PATCH", s.base+s.fill("{project}"), `{"keepLocation":true}`, s.session...); a.status != 200 || !strings.Contains(string(a.body), `"keepLocation":true`) {
				t.Fatalf("%d %s", a.status, a.body)
			}
			public, token := s.base+s.fill("{P}/media"), "Authorization: Bearer "+s.tokens["full"]
			file := exiftool.Write(t, jpegOf(300, 200), slices.Concat(placeTags, keptTags, iptcTags)...)
			item, plain := upload(t, public+"/upload", newForm().file("a.jpg", file).end(), token), upload(t, public+"/upload", newForm().file("b.png", pngOf(30, 20)).end(), token)
			if a := call(t, "GET", item.FullURL, ""); !bytes.Equal(a.body, file) || item.Hash != hashOf(file) {
				t.Error("the picture is not stored as it was uploaded")
			}
			for _, url := range []string{item.ThumbURL, item.ThumbWebPURL, item.FullWebPURL} {
				rendition := call(t, "GET", url, "").body
				wantNoPlace(t, url, rendition, exiftool.Read(t, rendition)[0])
			}
			cleaned := func(want string, more ...string) {
				t.Helper()
				args := append([]string{"media", "clean", "--database-url", s.database, "--blob-url", "file:" + filepath.Join(s.process.Dir, "var/blobs")}, more...)
				if out, diagnostics, err := program.Run(t, "", args...); err != nil || out != want+"\n" {
					t.Errorf("clean: %v\n%s%s", err, out, diagnostics)
				}
			}
			cleaned("0 cleaned, 0 clean before, 0 sealed and kept, 2 skipped, 0 failed")
			if a := call(t, "PATCH", s.base+s.fill("{project}"), `{"keepLocation":false}`, s.session...); a.status != 200 {
				t.Fatalf("%d %s", a.status, a.body)
			}
			cleaned("1 cleaned, 1 clean before, 0 sealed and kept, 0 skipped, 0 failed", "--project", s.uuid)
			cleaned("0 cleaned, 1 clean before, 0 sealed and kept, 0 skipped, 0 failed", "--after", fmt.Sprint(item.ID))
			s.process.Await(t, "the new file", func() bool {
				return decode[mediaItem](t, call(t, "GET", fmt.Sprint(public, "/", item.ID), "", token)).Hash != item.Hash
			})
			after := decode[mediaItem](t, call(t, "GET", fmt.Sprint(public, "/", item.ID), "", token))
			if after.FullWebPURL != item.FullWebPURL || after.ThumbURL != item.ThumbURL {
				t.Errorf("the renditions were %+v, are %+v", item, after)
			}
			wantClean(t, "a.jpg", after, file)
			if same := decode[mediaItem](t, call(t, "GET", fmt.Sprint(public, "/", plain.ID), "", token)); same.FullURL != plain.FullURL {
				t.Errorf("a clean picture was changed: %+v", same)
			}
		})
	}
}

// TestBrokenLocation uploads pictures with broken metadata, which is left out, and broken
// pictures, which are refused.
func TestBrokenLocation(t *testing.T) {
	t.Parallel()
	s := newSite(t, "SQLite")
	public, token := s.base+s.fill("{P}/media/upload"), "Authorization: Bearer "+s.tokens["full"]
	plain := jpegOf(30, 20)
	for name, segment := range map[string]string{
		"a directory outside":   "Exif\x00\x00II*\x00\xff\xff\xff\x7f" + place,
		"a directory of itself": "Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x69\x87\x04\x00\x01\x00\x00\x00\x08\x00\x00\x00" + place,
		"XMP that does not end": "http://ns.adobe.com/xap/1.0/\x00<x:xmpmeta><a b='" + place + "'>",
		"IPTC out of bounds":    "Photoshop 3.0\x008BIM\x04\x04\x00\x00\x7f\xff\xff\xff" + place,
	} {
		for _, marker := range []byte{0xe1, 0xed} {
			file := slices.Concat(plain[:2], []byte{0xff, marker, 0, byte(len(segment) + 2)}, []byte(segment), plain[2:])
			item := upload(t, public, newForm().file("a.jpg", file).end(), token)
			if a := call(t, "GET", item.FullURL, ""); !bytes.Equal(a.body, plain) {
				t.Errorf("%s: %s", name, base64.StdEncoding.EncodeToString(a.body))
			}
		}
	}
	for name, file := range map[string][]byte{"jpg": plain, "png": pngOf(30, 20), "gif": gifOf(2)} {
		if a := post(t, public, newForm().file("a."+name, file[:len(file)-20]).end(), token); a.status != 201 || strings.Contains(string(a.body), `"thumbUrl":"`) || !strings.Contains(string(a.body), `"warnings":["the `) {
			t.Errorf("half a %s: %d %s", name, a.status, a.body)
		}
	}
}
