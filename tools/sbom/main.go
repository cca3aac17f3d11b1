// Command sbom writes the bill of materials of a program, of which each file is that of one
// system: the modules that went into any of them, with their checksums, in CycloneDX.
//
//	sbom dist/fenchel-linux-amd64 dist/fenchel-windows-amd64.exe >sbom.cdx.json
//
// It is the same for the same program: no times, no serial number.
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "sbom: expected a program")
		os.Exit(1)
	}
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "sbom: %v\n", err)
		os.Exit(1)
	}
}

// write writes the bill of a program to standard output.
func write(paths []string) error {
	var program cdx.Component
	used := map[string]cdx.Component{} // by name and version
	for _, path := range paths {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return err
		}
		program = component(&info.Main, cdx.ComponentTypeApplication)
		for _, m := range append(info.Deps, &debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}) {
			if m.Replace != nil {
				m = m.Replace
			}
			c := component(m, cdx.ComponentTypeLibrary)
			used[c.BOMRef] = c
		}
	}
	refs, components := slices.Sorted(maps.Keys(used)), []cdx.Component(nil)
	for _, ref := range refs {
		components = append(components, used[ref])
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &program}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: program.BOMRef, Dependencies: &refs}}
	return cdx.NewBOMEncoder(os.Stdout, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}

// component is a module. Its checksum is that of go.sum, a SHA-256 of the names and checksums
// of its files.
func component(m *debug.Module, kind cdx.ComponentType) cdx.Component {
	url := "pkg:golang/" + m.Path + "@" + m.Version
	c := cdx.Component{BOMRef: url, Type: kind, Name: m.Path, Version: m.Version, PackageURL: url}
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) == 32 {
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	}
	return c
}
