package method

// Arcsine is for its test.
var Arcsine = arcsine
