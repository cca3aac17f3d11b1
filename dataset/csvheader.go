package dataset

import "slices"

// looksLikeHeader is true when no field of the first row is a number, and the
// next row has one, or the first row names a target or the columns of the model.
func looksLikeHeader(first []field, later [][]field, s *Schema) bool {
	names, twice := map[string]bool{}, false
	for _, f := range first {
		if _, status := parseFloat64(f.text); !f.missing && status != isText {
			return false
		}
		twice = twice || names[string(f.text)] && !f.missing
		names[string(f.text)] = true
	}
	if (s == nil || s.Header) && namesTarget(first, later) {
		return true
	}
	if twice {
		return false
	}
	if s != nil && s.Header {
		known := true
		for i, c := range s.Columns {
			known = known && (i == s.Target || i == s.Weight || names[c.Name])
		}
		if known {
			return true
		}
	}
	return len(later) > 0 && slices.ContainsFunc(later[0], func(f field) bool {
		_, status := parseFloat64(f.text)
		return !f.missing && status == isNumber
	})
}

// namesTarget reports whether a field of the first row is a usual name of a
// target. It must be there once and not be found below, since y is also a yes.
func namesTarget(first []field, later [][]field) bool {
	for _, usual := range usualTargets {
		same := func(f field) bool { return equalFold(f.text, usual) }
		i := slices.IndexFunc(first, same)
		if i < 0 || slices.ContainsFunc(first[i+1:], same) {
			continue
		}
		if !slices.ContainsFunc(later, func(row []field) bool { return slices.ContainsFunc(row, same) }) {
			return true
		}
	}
	return false
}

func repeated(names []string) string {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}
