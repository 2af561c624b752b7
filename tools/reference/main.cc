// generate_reference DIR: writes every generated document below DIR.
#include "reference.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace {

struct Document {
  const char* path;
  std::string (*make)();
};

constexpr std::array<Document, 8> kDocuments{{
    {"docs/man/agent-sandbox.1", asb::ManPage},
    {"docs/reference/policy.md", asb::PolicyReference},
    {"docs/reference/gaps.md", asb::GapReference},
    {"docs/reference/commands.md", asb::CommandReference},
    {"docs/reference/policy.schema.json", asb::PolicySchema},
    {"completions/agent-sandbox.bash", asb::BashCompletion},
    {"completions/_agent-sandbox", asb::ZshCompletion},
    {"completions/agent-sandbox.fish", asb::FishCompletion},
}};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: generate_reference DIR\n");
    return 2;
  }
  for (const Document& document : kDocuments) {
    const std::filesystem::path path = std::filesystem::path(argv[1]) / document.path;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out << document.make();
    out.close();
    if (!out.good()) {
      fmt::print(stderr, "generate_reference: cannot write {}\n", path.string());
      return 1;
    }
  }
  return 0;
}
