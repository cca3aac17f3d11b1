package onnx

import goflag "flag"

var long = goflag.Bool("long", false, "compare 10,000 rows of every kind of model with ONNX Runtime")
