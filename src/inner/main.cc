#include <string_view>

#include "inner/enter.h"
#include "inner/init.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "enter") return asb::Enter(argc, argv);
  asb::RunInit();
}
