package serve

import _ "embed"

//go:embed openapi.json
var openAPI []byte

// OpenAPI returns the description of all paths in OpenAPI 3.1, as JSON.
func OpenAPI() []byte { return openAPI }
