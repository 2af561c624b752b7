#include <malloc.h>

#include "cli/commands.h"

int main(int argc, char** argv) {
  // A plan of ten thousand rules takes 20 MB for a moment: ask for memory in large pieces, and give
  // none back before the end.
  mallopt(M_MXFAST, 160);
  mallopt(M_TOP_PAD, 8 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  return asb::Main(argc, argv);
}
