package main

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	manyPictures = 40
	// mostMemory is the limit of process memory while it scales pictures, in megabytes.
	// keptMemory is the limit of its growth after restTime.
	mostMemory = 420
	keptMemory = 100
	restTime   = 30 * time.Second
)

// pictures uploads files whose pictures would need far more memory than available, each
// twice concurrently, and then many photographs concurrently.
func pictures(ctx context.Context, p *program, _ options) (findings []finding, err error) {
	bombs, err := pictureBombs()
	if err != nil {
		return nil, err
	}
	for name, file := range bombs {
		f, err := p.uploadMany(ctx, "2 × "+name, file, 2, http.StatusUnprocessableEntity)
		if err != nil {
			return nil, err
		}
		findings = append(findings, f)
	}
	large, err := blankPNG(6000, 5000, 8, 0)
	if err != nil {
		return nil, err
	}
	f, err := p.uploadMany(ctx, "4 × PNG of 30 megapixels, just within the memory budget", large, 4, http.StatusCreated)
	if err != nil {
		return nil, err
	}
	findings = append(findings, f)
	photograph, err := noisyJPEG(4032, 3024)
	if err != nil {
		return nil, err
	}
	f, err = p.uploadMany(ctx, fmt.Sprintf("%d × 12 megapixels", manyPictures), photograph, manyPictures, http.StatusCreated)
	return append(findings, f), err
}

// uploadMany uploads a file many times concurrently, retries while the program is busy, and
// checks the program's memory during and after the uploads.
func (p *program) uploadMany(ctx context.Context, what string, file []byte, times, want int) (finding, error) {
	f := finding{what: what}
	var busy atomic.Int64
	wrong := make(chan string, times)
	began := time.Now()
	before, most, err := p.memory(func() {
		var group sync.WaitGroup
		for range times {
			group.Go(func() {
				status, detail, err := p.upload(ctx, file)
				for err == nil && status == http.StatusServiceUnavailable {
					busy.Add(1)
					time.Sleep(time.Second)
					status, detail, err = p.upload(ctx, file)
				}
				if err != nil || status != want {
					wrong <- fmt.Sprintf("answered %d %s, %v", status, detail, err)
				}
			})
		}
		group.Wait()
	})
	if err != nil {
		return f, fmt.Errorf("%s: the program ended: %w", what, err)
	}
	f.result = fmt.Sprintf("%.1f s, %d refused with Retry-After; memory %d MB, at most %d MB", time.Since(began).Seconds(), busy.Load(), before, most)
	close(wrong)
	for fault := range wrong {
		f.report("%s", fault)
	}
	if most > mostMemory {
		f.report("%d MB, want at most %d", most, mostMemory)
	}
	ended := time.Now()
	kept, err := p.anonymous()
	for err == nil && kept > before+keptMemory && time.Since(ended) < restTime {
		time.Sleep(100 * time.Millisecond)
		kept, err = p.anonymous()
	}
	if kept > before+keptMemory {
		f.report("%d MB are not released", kept)
	}
	f.result += fmt.Sprintf(", %d MB after %.1f s", kept, time.Since(ended).Seconds())
	return f, err
}

// upload sends a file and returns the status and the error message.
func (p *program) upload(ctx context.Context, file []byte) (status int, detail string, err error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "picture")
	if err != nil {
		return 0, "", err
	}
	if _, err := part.Write(file); err != nil {
		return 0, "", err
	}
	if err := form.Close(); err != nil {
		return 0, "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.address+p.uploads, &body)
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Authorization", "Bearer "+p.token)
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close() //nolint:errcheck // read completely
	response, err := io.ReadAll(resp.Body)
	var problem struct {
		Errors []struct{ Message string }
	}
	if err := json.Unmarshal(response, &problem); err == nil && len(problem.Errors) > 0 {
		detail = problem.Errors[0].Message
	}
	return resp.StatusCode, detail, err
}

// pictureBombs returns small files of pictures that would need gigabytes of memory.
func pictureBombs() (map[string][]byte, error) {
	wide, err := blankPNG(10_000, 10_000, 8, 0)
	if err != nil {
		return nil, err
	}
	deep, err := blankPNG(6000, 6000, 16, 1)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"WebP of 16383 × 6100":                      blankWebP(16383, 6100),
		"PNG of 100 megapixels":                     wide,
		"PNG of 36 megapixels, deep and interlaced": deep,
		"progressive JPEG of 100 megapixels":        hollowJPEG(10_000, 10_000),
	}, nil
}

// blankWebP returns a lossless WebP of one colour: each prefix code has one symbol.
func blankWebP(width, height uint32) []byte {
	body := binary.LittleEndian.AppendUint32([]byte{0x2f}, (width-1)|(height-1)<<14)
	bits := uint64(0)
	for i := range 5 { // after three bits without transforms, cache and other codes
		bits |= 1 << (3 + 4*i)
	}
	body = append(binary.LittleEndian.AppendUint64(body, bits), 0)
	out := append([]byte("RIFF....WEBPVP8L"), binary.LittleEndian.AppendUint32(nil, uint32(len(body)))...)
	out = append(out, body...)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

// blankPNG returns an RGBA PNG of zeros.
func blankPNG(width, height uint32, bitDepth, interlace byte) ([]byte, error) {
	chunk := func(out []byte, name string, body []byte) []byte {
		out = append(append(binary.BigEndian.AppendUint32(out, uint32(len(body))), name...), body...)
		return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[len(out)-len(body)-4:]))
	}
	var packed bytes.Buffer
	w, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err != nil {
		return nil, err
	}
	row := make([]byte, 1+int(width)*int(bitDepth)/2)
	rows := int(height)
	if interlace == 1 {
		rows += rows // room for the filter of each row of each pass
	}
	for range rows {
		if _, err := w.Write(row); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	const colorRGBA = 6
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	out := chunk([]byte("\x89PNG\r\n\x1a\n"), "IHDR", append(header, bitDepth, colorRGBA, 0, 0, interlace))
	return chunk(chunk(out, "IDAT", packed.Bytes()), "IEND", nil), nil
}

// hollowJPEG returns a progressive colour JPEG whose first scan is empty.
func hollowJPEG(width, height uint16) []byte {
	segment := func(out []byte, marker byte, body ...byte) []byte {
		out = binary.BigEndian.AppendUint16(append(out, 0xff, marker), uint16(len(body)+2))
		return append(out, body...)
	}
	out := segment([]byte{0xff, 0xd8}, 0xdb, make([]byte, 65)...)
	size := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{8}, height), width)
	out = segment(out, 0xc2, append(size, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0)...)
	codes := make([]byte, 17+1)
	codes[1] = 1
	out = segment(out, 0xc4, codes...)
	out = segment(out, 0xda, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0)
	return append(append(out, make([]byte, 64<<10)...), 0xff, 0xd9)
}

// noisyJPEG returns a JPEG with the file size of a photograph.
func noisyJPEG(width, height int) ([]byte, error) {
	img := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range img.Y {
		img.Y[i] = byte(i/width*200/height) + byte(random.UintN(40))
	}
	for i := range img.Cb {
		img.Cb[i], img.Cr[i] = 120, 140
	}
	var out bytes.Buffer
	err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 85})
	return out.Bytes(), err
}
