package fileurl

import (
	"cmp"
	"path"
	"strings"
)

// extensions has the extensions of the types of files that libraries accept. The names of blobs end
// in one of them.
var extensions = setOf(`.jpg .png .gif .webp .avif .heic .svg .mp4 .webm .mov .ogv .mkv .3gp .3g2 .avi .mp3 .ogg .wav .flac .m4a .aac
	.pdf .docx .xlsx .pptx .odt .ods .odp .doc .xls .ppt .rtf .epub .txt .csv .tsv .md .json .jsonl .geojson .gltf .yaml
	.ics .vcf .vtt .srt .eml .zip`)

// sameExtensions has other extensions of files of these types.
var sameExtensions = map[string]string{
	".jpeg": ".jpg", ".jpe": ".jpg", ".jfif": ".jpg", ".apng": ".png", ".avifs": ".avif", ".heif": ".heic", ".hif": ".heic", ".m4v": ".mp4", ".qt": ".mov", ".3gpp": ".3gp",
	".oga": ".ogg", ".opus": ".ogg", ".spx": ".ogg", ".wave": ".wav", ".m4b": ".m4a",
	".markdown": ".md", ".tab": ".tsv", ".ndjson": ".jsonl", ".har": ".json", ".topojson": ".json", ".yml": ".yaml",
	".ical": ".ics", ".vcard": ".vcf",
	".text": ".txt", ".log": ".txt", ".ini": ".txt", ".toml": ".txt", ".conf": ".txt", ".cfg": ".txt", ".tex": ".txt", ".bib": ".txt",
	".po": ".txt", ".rst": ".txt", ".adoc": ".txt", ".org": ".txt", ".diff": ".txt", ".patch": ".txt", ".lrc": ".txt",
}

// foreignExtensions has extensions of types that libraries do not accept. A file with such a name
// is of another type.
var foreignExtensions = setOf(`.bmp .tif .tiff .ico .jxl .psd .ai .eps .ps .html .htm .xhtml .shtml .xml .xsl .rss .atom .kml .gpx
	.js .mjs .cjs .ts .jsx .tsx .css .wasm .php .phtml .asp .aspx .jsp .cgi .py .rb .pl .lua .tcl .sh .bash .bat .cmd .ps1 .vbs .wsf .hta .reg
	.exe .dll .msi .com .scr .pif .jar .class .apk .app .dmg .pkg .deb .rpm .iso .bin .elf .so .swf .url .lnk .desktop .mht .mhtml
	.gz .tgz .bz2 .xz .7z .rar .tar .docm .xlsm .pptm .wmv .flv .mpg .mpeg .wma .aif .aiff .mid .midi`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// Extension returns the extension of the name of a file in the form of the names of blobs: ".jpg"
// for "A.JPEG". It returns "" if no type of file that libraries accept has it.
func Extension(fileName string) string {
	extension := strings.ToLower(path.Ext(fileName))
	if same := sameExtensions[extension]; same != "" {
		return same
	}
	if extensions[extension] {
		return extension
	}
	return ""
}

// Name returns the name under which a file with the extension is saved. This is fileName if its
// extension says the type; an extension of another type is replaced, and a name without one gets it.
func Name(fileName, extension string) string {
	given := path.Ext(fileName)
	stem := strings.TrimSuffix(fileName, given)
	switch known := Extension(fileName); {
	case known == extension:
		extension = given
	case known == "" && !foreignExtensions[strings.ToLower(given)]:
		stem = fileName
	}
	return cmp.Or(stem, "file") + extension
}
