package pose

import "runtime/debug"

// Version is the program version noted in models: that of this module, in the
// command or in the program that uses it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == "github.com/fenchel-ml/fenchel" && m.Version != "" && m.Version != "(devel)" {
			return m.Version
		}
	}
	return "devel"
}
