package measure

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Machine is what the numbers were measured on.
type Machine struct {
	CPU, Caches, Memory, System, Go string
	Cores, Threads                  int
	Peers                           []string
	Limit, Took                     time.Duration
	Busy                            float64 // the most cores that other programs used when a race began
	Date, Commit                    string
}

// DescribeMachine reads what Linux tells; elsewhere less is known.
func DescribeMachine() Machine {
	m := Machine{CPU: runtime.GOARCH, System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Cores: runtime.NumCPU(),
		Date: time.Now().UTC().Format(time.DateOnly)}
	if name := field("/proc/cpuinfo", "model name"); name != "" {
		m.CPU = name
	}
	m.Memory = field("/proc/meminfo", "MemTotal")
	var kb int64
	if _, err := fmt.Sscanf(m.Memory, "%d kB", &kb); err == nil {
		m.Memory = fmt.Sprintf("%.1f GB", float64(kb)/(1<<20))
	}
	if name := strings.Trim(field("/etc/os-release", "PRETTY_NAME"), `"`); name != "" {
		m.System = name + ", " + m.System
	}
	m.Caches = caches("/sys/devices/system/cpu/cpu0/cache")
	return m
}

// field returns the first value of a key in a file of "key : value" or
// "key=value" lines.
func field(path, key string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			return strings.TrimLeft(strings.TrimSpace(rest), ":= \t")
		}
	}
	return ""
}

// caches lists the caches of one core: "L1 48K, L2 2048K, L3 107520K".
func caches(folder string) string {
	var all []string
	for i := range 8 {
		read := func(name string) string {
			data, _ := os.ReadFile(fmt.Sprintf("%s/index%d/%s", folder, i, name)) // absent: nothing to tell
			return strings.TrimSpace(string(data))
		}
		if size := read("size"); size != "" && read("type") != "Instruction" {
			all = append(all, "L"+read("level")+" "+size)
		}
	}
	return strings.Join(all, ", ")
}

// CommitOf is the commit that a checkout is at, "" where git does not tell, with a
// plus where files have changed since.
func CommitOf(ctx context.Context, root string) string {
	out, err := exec.CommandContext(ctx, "git", "-C", root, "describe", "--always", "--abbrev=10", "--dirty=+", "--exclude=*").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
