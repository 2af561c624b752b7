// The file and the folder that hidden paths are covered with.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "sys/fd.h"

namespace asb {

/// Places to copy a mask from, for as long as they are mounted somewhere.
struct Masks {
  Fd file;
  Fd folder;
};

/// One file and one folder that nobody may open, read-only: their owner, whom the command runs as,
/// could give them another mode otherwise. Every mask is a copy of one of them. They are mounted on
/// `place`, a folder, which the command must never see.
Result<Masks> MakeMasks(int place);

}  // namespace asb
