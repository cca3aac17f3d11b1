package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/pose"
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
			build := versionJSON()
			if asJSON {
				return printing.JSON(cmd, build)
			}
			r := printing.Report{W: cmd.OutOrStdout()}
			for _, name := range []string{"version", "commit", "go"} {
				if build[name] != nil {
					r.Line(name, "%s", build[name])
				}
			}
			r.Line("platform", "%s/%s", build["os"], build["arch"])
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// versionJSON is what the build says of itself.
func versionJSON() map[string]any {
	settings, modules := map[string]string{}, map[string]string{}
	out := map[string]any{"version": pose.Version(), "commit": nil, "commit_time": nil, "modified": nil,
		"go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH, "settings": settings, "modules": modules}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			out["commit"] = s.Value
		case "vcs.time":
			out["commit_time"] = s.Value
		case "vcs.modified":
			out["modified"] = s.Value == "true"
		case "vcs":
		default:
			settings[s.Key] = s.Value
		}
	}
	for _, m := range info.Deps {
		modules[m.Path] = m.Version
	}
	return out
}
