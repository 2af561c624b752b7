#include "sys/shared.h"

#include <sys/mman.h>

#include "sys/error.h"

namespace asb {

Result<void*> SharedMemory(unsigned long bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return SysError();
  return memory;
}

}  // namespace asb
