#include "cli/context.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sha256.h"
#include "base/text.h"
#include "cli/exit_code.h"
#include "host/policy_files.h"
#include "host/probe.h"
#include "plan/facts_json.h"
#include "sys/descriptors.h"
#include "sys/files.h"

namespace asb {
namespace {

constexpr std::size_t kLargestFacts = std::size_t{64} << 20U;

tl::unexpected<Failure> Failed(Error error) {
  return tl::make_unexpected(Failure{std::move(error), {}});
}

tl::unexpected<Failure> Failed(Diagnostics diagnostics) {
  return tl::make_unexpected(Failure{std::nullopt, std::move(diagnostics)});
}

void Debug(const Invocation& invocation, const std::string& line) {
  if (invocation.debug) PrintError(fmt::format("debug: {}\n", line));
}

Diagnostic NoSuchProfile(const std::string& wanted, const LoadedFile& file) {
  Diagnostic diagnostic;
  diagnostic.place = "command line --profile";
  if (!file.parsed) {
    diagnostic.message = fmt::format("no profile '{}': {} does not exist", wanted, file.place);
    diagnostic.fix = fmt::format("write that file, with [profile.{}] in it", wanted);
    return diagnostic;
  }
  std::vector<std::string_view> names;
  for (const Layer& profile : file.parsed->file.profiles) names.emplace_back(profile.name);
  diagnostic.message = fmt::format("{} has no profile '{}'", file.place, wanted);
  diagnostic.hint = DidYouMean(wanted, names);
  diagnostic.fix = names.empty() ? fmt::format("add [profile.{}] to it", wanted)
                                 : fmt::format("its profiles are {}", JoinWords(names));
  return diagnostic;
}

/// The layer of the chosen profile, or why there is none.
Outcome<std::optional<Layer>> ChooseProfile(const Invocation& invocation, const LoadedFile& file) {
  if (!invocation.profile) return std::optional<Layer>();
  if (file.parsed) {
    for (const Layer& profile : file.parsed->file.profiles) {
      if (profile.name == *invocation.profile) return std::optional(profile);
    }
  }
  return Failed(Diagnostics{NoSuchProfile(*invocation.profile, file)});
}

/// The policy that came by descriptor. It is read once: the bytes that are hashed are the bytes
/// that are parsed.
Outcome<LoadedFile> ReceivePolicy(const Invocation& invocation) {
  const auto refused = [&](std::string what, std::string fix) {
    return Failed(Error{ErrorKind::kPolicy, 0,
                        fmt::format("policy on descriptor {}: {}", Printable(*invocation.policy_fd),
                                    std::move(what)),
                        std::move(fix)});
  };
  const Result<std::string> bytes = ReadDescriptor(*invocation.policy_fd, kLargestPolicy);
  if (!bytes) return refused(bytes.error().what, "agent-sandbox --policy-fd 3 … 3<policy.toml");
  const std::string digest = Sha256Hex(*bytes);
  if (digest != *invocation.policy_digest) {
    return refused(
        fmt::format("its digest is {}, not {}", digest, Printable(*invocation.policy_digest)),
        "send the policy again, and the digest of just these bytes (sha256sum)");
  }
  LoadedFile out;
  out.place = fmt::format("descriptor {}", *invocation.policy_fd);
  out.parsed = ParsePolicy(*bytes, out.place);
  Debug(invocation, fmt::format("policy {}: {} bytes", out.place, bytes->size()));
  return out;
}

Layer MergedPolicy(const Invocation& invocation, std::vector<Layer> layers) {
  for (const Layer& layer : layers) {
    const auto set = std::count_if(layer.settings.begin(), layer.settings.end(),
                                   [](const auto& setting) { return setting.has_value(); });
    Debug(invocation,
          fmt::format("layer {}{}{}: {}", LayerName(layer.kind), layer.name.empty() ? "" : " ",
                      layer.name, Count(static_cast<std::size_t>(set), "setting")));
  }
  return MergeLayers(std::move(layers));
}

}  // namespace

Outcome<LoadedFile> LoadFile(const Invocation& invocation, const HostFacts& facts) {
  if (invocation.policy_fd) return ReceivePolicy(invocation);
  LoadedFile out;
  if (invocation.no_config) {
    out.place = "no policy file";
    return out;
  }
  const std::string path =
      invocation.config ? *invocation.config : facts.config_folder + "/config.toml";
  Result<std::optional<PolicyText>> text = ReadPolicyText(
      path, facts.user.home, invocation.config ? WhenMissing::kFail : WhenMissing::kNothing);
  if (!text) return Failed(text.error());
  if (!*text) {
    out.place = path;
    Debug(invocation, fmt::format("no policy at {}", Printable(path)));
    return out;
  }
  out.place = (*text)->place;
  out.path = AnchoredPath(path, facts.current_directory);
  out.parsed = ParsePolicy((*text)->bytes, out.place);
  Debug(invocation, fmt::format("policy {}: {} bytes", Printable(path), (*text)->bytes.size()));
  return out;
}

std::vector<std::string> ChooseCommand(const Invocation& invocation, const Policy& policy,
                                       const HostFacts& facts) {
  if (invocation.command == CommandId::kShell) {
    return {facts.user.shell.empty() ? "/bin/sh" : facts.user.shell};
  }
  if (SpecOf(invocation.command).words != WordsAre::kProgram) return policy.command;
  const bool append = invocation.command_named && invocation.words_follow_dashes;
  if (!append && !invocation.words.empty()) return invocation.words;
  std::vector<std::string> command = policy.command;
  command.insert(command.end(), invocation.words.begin(), invocation.words.end());
  return command;
}

Outcome<Layer> AssembleLayers(const Invocation& invocation, LoadedFile file,
                              const HostFacts& facts) {
  if (file.parsed && !file.parsed->diagnostics.empty()) return Failed(file.parsed->diagnostics);
  auto profile = ChooseProfile(invocation, file);
  if (!profile) return tl::make_unexpected(std::move(profile.error()));
  std::vector<Layer> layers{BuiltinLayer()};
  if (file.parsed) layers.push_back(std::move(file.parsed->file.top));
  if (*profile) layers.push_back(std::move(**profile));
  layers.push_back(invocation.layer);
  if (!facts.current_directory.empty()) AnchorPaths(layers.back(), facts.current_directory);
  return MergedPolicy(invocation, std::move(layers));
}

Outcome<HostFacts> LoadFacts(const Invocation& invocation) {
  if (!invocation.facts) {
    Result<HostFacts> facts = ProbeMachine();
    if (!facts) return Failed(facts.error());
    return std::move(*facts);
  }
  const Result<std::string> text = ReadRegularFile(*invocation.facts, kLargestFacts);
  if (!text) {
    return Failed(
        Error{ErrorKind::kPolicy, text.error().sys_errno,
              fmt::format("facts '{}': {}", Printable(*invocation.facts), text.error().what),
              "agent-sandbox plan --print-facts makes such a file"});
  }
  Result<HostFacts> facts = FactsFromJson(*text);
  if (!facts) {
    return Failed(
        Error{ErrorKind::kPolicy, 0,
              fmt::format("facts '{}': {}", Printable(*invocation.facts), facts.error().what),
              "agent-sandbox plan --print-facts makes such a file"});
  }
  return std::move(*facts);
}

Outcome<Prepared> PreparePolicy(const Invocation& invocation) {
  Prepared out;
  auto facts = LoadFacts(invocation);
  if (!facts) return tl::make_unexpected(std::move(facts.error()));
  out.facts = std::move(*facts);
  auto file = LoadFile(invocation, out.facts);
  if (!file) return tl::make_unexpected(std::move(file.error()));
  if (!invocation.facts) out.facts.policy_file = file->path;
  auto merged = AssembleLayers(invocation, std::move(*file), out.facts);
  if (!merged) return tl::make_unexpected(std::move(merged.error()));
  out.merged = std::move(*merged);
  out.policy = MakePolicy(out.merged);
  out.command = ChooseCommand(invocation, out.policy, out.facts);
  return out;
}

std::optional<Failure> PreparePlan(const Invocation& invocation, Prepared& prepared) {
  LookingSource looking(prepared.facts);
  FactsSource described(prepared.facts);
  FileSource& source = invocation.facts ? static_cast<FileSource&>(described) : looking;
  Compiled compiled =
      CompilePlanFrom(source, prepared.policy, prepared.facts, prepared.command, ShippedTables());
  Debug(invocation, Count(prepared.facts.files.size(), "path") + " known");
  if (!compiled.diagnostics.empty()) return Failure{std::nullopt, std::move(compiled.diagnostics)};
  prepared.plan = std::move(compiled.plan);
  return std::nullopt;
}

Outcome<Prepared> Prepare(const Invocation& invocation) {
  auto prepared = PreparePolicy(invocation);
  if (!prepared) return prepared;
  if (auto failure = PreparePlan(invocation, *prepared)) {
    return tl::make_unexpected(std::move(*failure));
  }
  return prepared;
}

int Report(const Error& error) {
  PrintError(fmt::format("agent-sandbox: {}\n", error.what));
  if (!error.cause.empty()) PrintError(fmt::format("  cause: {}\n", error.cause));
  if (!error.hint.empty()) PrintError(fmt::format("  fix: {}\n", error.hint));
  switch (error.kind) {
    case ErrorKind::kUsage:
      return kExitUsage;
    case ErrorKind::kPolicy:
      return kExitPolicy;
    case ErrorKind::kHost:
      return kExitWallNotBuilt;
  }
  return kExitWallNotBuilt;
}

int Report(const Failure& failure) {
  if (failure.error) return Report(*failure.error);
  PrintError(RenderDiagnostics(failure.diagnostics));
  return kExitPolicy;
}

void PrintOut(std::string_view text) { (void)WriteAll(1, text); }
void PrintError(std::string_view text) { (void)WriteAll(2, text); }

}  // namespace asb
