package file

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
)

const zipMagic = "PK\x03\x04"

// mostMembers bounds the list of an archive, which is held in memory.
const mostMembers = 1<<16 - 1

// inArchive returns what reads the only file of a zip archive, and how much that is; f
// itself if it is none, or one of a program that has a format of its own, such as NPZ or Excel.
func (in *Input) inArchive(f fs.File, size int64) (raw io.Reader, unpacked int64, err error) {
	at, ok := f.(io.ReaderAt)
	var magic, end [22]byte
	if !ok {
		return f, size, nil
	}
	if n, _ := at.ReadAt(magic[:len(zipMagic)], 0); string(magic[:n]) != zipMagic {
		return f, size, nil
	}
	n, _ := at.ReadAt(end[:], max(0, size-int64(len(end))))
	if n == len(end) && bytes.HasPrefix(end[:], []byte("PK\x05\x06")) && int(end[10])|int(end[11])<<8 >= mostMembers {
		return f, size, nil
	}
	z, err := zip.NewReader(at, size)
	if err != nil {
		return f, size, nil // a format says what is wrong
	}
	m, err := onlyMember(in.Name, z.File)
	if m == nil || err != nil {
		return f, size, err
	}
	r, err := m.Open()
	if err != nil {
		return f, size, fault.In(in.Name, "zip data: %w", err)
	}
	in.Size, in.Path, in.Member = 0, "", m.Name
	return &NamedReader{R: r, Name: in.Name, kind: "zip"}, int64(m.UncompressedSize64), nil
}

func onlyMember(name string, all []*zip.File) (m *zip.File, err error) {
	var names []string
	for _, f := range all {
		switch {
		case strings.HasSuffix(f.Name, ".npy"), f.Name == "[Content_Types].xml", f.Name == "mimetype":
			return nil, nil
		case !strings.HasSuffix(f.Name, "/") && !strings.HasPrefix(f.Name, "__MACOSX/") && !strings.HasPrefix(path.Base(f.Name), "."):
			m, names = f, append(names, f.Name)
		}
	}
	switch {
	case len(names) != 1:
		return nil, fault.In(name, "found a zip archive of %s (%s), expected one file in it; one way: unzip %s", fault.Plural(len(names), "file", "files"), fault.Few(names), name)
	case m.Flags&1 != 0 || m.Method != zip.Store && m.Method != zip.Deflate:
		return nil, fault.In(name, "found %s encrypted or packed by method %d, expected it stored or deflated; one way: unzip %s", fault.Quote([]byte(m.Name)), m.Method, name)
	}
	return m, nil
}
