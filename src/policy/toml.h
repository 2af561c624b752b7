// The one way into toml++: without exceptions, compiled in one file (toml.cc).
#pragma once

#include <toml++/toml.h>
