// Package file opens the files that formats read: by name, from standard input or an fs.FS,
// decompressed beside the parsing, with lines that end alike, counted and interruptible. And it
// writes files whole or not at all. It knows no format. A stranger begins with System.Open and
// WriteFile.
package file
