//go:build (linux || darwin || freebsd) && !nodynamic

package imaging

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// libwebp is the machine's own library, used without cgo.
type libwebp struct {
	configInit  func(config *webpConfig, preset int32, quality float32, abi int32) int32
	pictureInit func(picture *webpPicture, abi int32) int32
	pictureFree func(picture *webpPicture)
	encoder     func(config *webpConfig, picture *webpPicture) int32
	writerInit  func(writer *webpWriter)
	writerClear func(writer *webpWriter)
	write       uintptr
}

// encoderABI is that of libwebp 1.x; the library refuses another major one.
const encoderABI = 0x020f

// webpConfig is the beginning of WebPConfig, and room for the rest of it.
type webpConfig struct {
	_           int32   // lossless
	_           float32 // quality
	method      int32
	_           [18]int32
	threadLevel int32
	_           [106]int32
}

// webpPicture is WebPPicture, with room to spare.
type webpPicture struct {
	_             int32 // use_argb
	colorspace    uint32
	width, height int32
	y, u, v       *byte
	yStride       int32
	uvStride      int32
	a             *byte
	aStride       int32
	_             [2]uint32
	_             uintptr // argb
	_             int32
	_             [3]uint32
	writer        uintptr
	custom        *webpWriter
	_             [2]uintptr
	_             uintptr
	errorCode     uint32
	_             [372]byte
}

// webpWriter is WebPMemoryWriter, with room to spare. Its memory is libwebp's.
type webpWriter struct {
	memory *byte
	size   uintptr
	_      [6]uintptr
}

const colorspaceYUV, colorspaceYUVA = 0, 4

// loadLibwebp returns the library, or nil if the machine has none. The search
// happens once.
var loadLibwebp = sync.OnceValue(func() *libwebp {
	if !linkedDynamically() {
		return nil
	}
	for _, name := range []string{"libwebp.so.7", "libwebp.so", "libwebp.7.dylib", "libwebp.dylib", "/opt/homebrew/lib/libwebp.7.dylib"} {
		if handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL); err == nil {
			if library, err := bindLibwebp(handle); err == nil {
				return library
			}
		}
	}
	return nil
})

// linkedDynamically reports whether this program has a loader that could load.
func linkedDynamically() bool {
	if runtime.GOOS != "linux" {
		return true
	}
	name, err := os.Executable()
	if err != nil {
		return false
	}
	file, err := elf.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	return slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}

// bindLibwebp finds the functions, and asks the library whether it understands us.
func bindLibwebp(handle uintptr) (*libwebp, error) {
	l := &libwebp{}
	for name, function := range map[string]any{
		"WebPConfigInitInternal":  &l.configInit,
		"WebPPictureInitInternal": &l.pictureInit,
		"WebPPictureFree":         &l.pictureFree,
		"WebPEncode":              &l.encoder,
		"WebPMemoryWriterInit":    &l.writerInit,
		"WebPMemoryWriterClear":   &l.writerClear,
	} {
		address, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, err
		}
		purego.RegisterFunc(function, address)
	}
	var err error
	if l.write, err = purego.Dlsym(handle, "WebPMemoryWrite"); err != nil {
		return nil, err
	}
	if l.configInit(&webpConfig{}, 0, quality, encoderABI) == 0 || l.pictureInit(&webpPicture{}, encoderABI) == 0 {
		return nil, errors.New("imaging: another libwebp than 1.x")
	}
	return l, nil
}

// encode encodes three planes, or four with alpha, in which it may blank what alpha
// hides.
func (l *libwebp) encode(planes []plane) ([]byte, error) {
	config, picture, writer := &webpConfig{}, &webpPicture{}, &webpWriter{}
	l.configInit(config, 0, quality, encoderABI)
	config.method, config.threadLevel = 2, 1 // what takes more time saves little
	l.pictureInit(picture, encoderABI)

	var pinner runtime.Pinner // what the picture points at, while it is the library's
	defer pinner.Unpin()
	pinner.Pin(writer)
	for _, p := range planes {
		pinner.Pin(&p.pix[0])
	}
	picture.width, picture.height = int32(planes[0].width), int32(planes[0].height)
	picture.y, picture.u, picture.v = &planes[0].pix[0], &planes[1].pix[0], &planes[2].pix[0]
	picture.yStride, picture.uvStride = int32(planes[0].stride), int32(planes[1].stride)
	picture.colorspace = colorspaceYUV
	if len(planes) == 4 {
		picture.colorspace, picture.a, picture.aStride = colorspaceYUVA, &planes[3].pix[0], int32(planes[3].stride)
	}
	l.writerInit(writer)
	defer l.writerClear(writer)
	picture.writer, picture.custom = l.write, writer
	defer l.pictureFree(picture)
	if l.encoder(config, picture) == 0 {
		return nil, fmt.Errorf("imaging: libwebp: error %d", picture.errorCode)
	}
	return slices.Clone(unsafe.Slice(writer.memory, writer.size)), nil
}
