// toml++'s implementation, compiled once.
#define TOML_IMPLEMENTATION
#include "policy/toml.h"
