package data

// What tests set and ask for, which programs need not know.
var (
	MostOpen     = &mostOpen
	DetectFormat = detect
	WriterFor    = writerFor
)
