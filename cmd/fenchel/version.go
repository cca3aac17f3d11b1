package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/result"
)

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Say which build of the program this is",
		Long: `Version prints the version, the commit that it was built from, where the build
knows it, the version of Go, the system and the processor. With --json also the
settings of the build and the modules that went in.`,
		Args: option.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			build := versionOf()
			return printing.Print(cmd, asJSON, build, func(r printing.Report) {
				r.Line("version", "%s", build.Version)
				if build.Commit != nil {
					r.Line("commit", "%s", *build.Commit)
				}
				r.Line("go", "%s", build.Go)
				r.Line("platform", "%s/%s", build.OS, build.Arch)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// versionOf is what the build says of itself.
func versionOf() *result.Version {
	out := &result.Version{Version: pose.Version(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Settings: map[string]string{}, Modules: map[string]string{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			out.Commit = &s.Value
		case "vcs.time":
			out.Time = &s.Value
		case "vcs.modified":
			out.Modified = new(s.Value == "true")
		case "vcs":
		default:
			out.Settings[s.Key] = s.Value
		}
	}
	for _, m := range info.Deps {
		out.Modules[m.Path] = m.Version
	}
	return out
}
