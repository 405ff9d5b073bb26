package weaviate

// Unpack reads what is packed.
var Unpack = unpack
