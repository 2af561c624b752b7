#include "cli/commands.h"

int main(int argc, char** argv) { return asb::Main(argc, argv); }
