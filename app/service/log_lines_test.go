package service

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLinesGoOutTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := newLines(&out)
		write := func(line, want string) {
			t.Helper()
			if n, err := l.Write([]byte(line)); n != len(line) || err != nil {
				t.Fatal(n, err)
			}
			expect(t, l, &out, want)
		}
		write("one\n", "")
		time.Sleep(lineDelay / 2)
		write("two\n", "")
		time.Sleep(lineDelay/2 + time.Millisecond)
		synctest.Wait()
		expect(t, l, &out, "one\ntwo\n")
		time.Sleep(10 * lineDelay)
		write("three\n", "")
		if err := l.Sync(); err != nil {
			t.Fatal(err)
		}
		expect(t, l, &out, "three\n")
		long := strings.Repeat("x", mostHeld)
		write("four\n", "")
		write(long, "four\n"+long)
		write("five\n", "")
		if err := l.holdNoMore(); err != nil {
			t.Fatal(err)
		}
		expect(t, l, &out, "five\n")
		write("six\n", "six\n")
	})
}

func TestLinesTellThatTheyCannotBeWritten(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	l := newLines(failing{full})
	if _, err := l.Write([]byte("lost\n")); err != nil {
		t.Fatal(err)
	}
	if err := l.Sync(); !errors.Is(err, full) {
		t.Error(err)
	}
	if err := l.Sync(); err != nil {
		t.Error("what is lost is tried again:", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// expect takes what is in out.
func expect(t *testing.T, l *lines, out *bytes.Buffer, want string) {
	t.Helper()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if got := out.String(); got != want {
		t.Errorf("%.40q, want %.40q", got, want)
	}
	out.Reset()
}
