// The JSON schema of a policy file, for editors.
#include <nlohmann/json.hpp>

#include "policy/gaps.h"
#include "policy/keys.h"
#include "reference.h"

namespace asb {
namespace {

using Json = nlohmann::ordered_json;

Json Words(std::span<const std::string_view> words) {
  Json out = Json::array();
  for (const std::string_view word : words) out.push_back(std::string(word));
  return out;
}

Json ListOf(Json item) { return {{"type", "array"}, {"items", std::move(item)}}; }

Json TypeOf(const KeySpec& key) {
  switch (key.type) {
    case KeyType::kChoice:
      return {{"type", "string"}, {"enum", Words(key.choices)}};
    case KeyType::kSwitch:
      return {{"type", "boolean"}};
    case KeyType::kPath:
      return {{"type", "string"}, {"minLength", 1}};
    case KeyType::kPathList:
      return ListOf({{"type", "string"}, {"minLength", 1}});
    case KeyType::kEnvList:
      return ListOf(
          {{"type", "string"}, {"pattern", "^[A-Za-z_][A-Za-z0-9_]*(=|[A-Za-z0-9_*]*$)"}});
    case KeyType::kWordList:
      return ListOf({{"type", "string"}});
    case KeyType::kGapList:
      return ListOf({{"type", "string"}, {"enum", Words(GapNames())}});
    case KeyType::kBindList:
      return ListOf({{"type", "object"},
                     {"properties",
                      {{"source", {{"type", "string"}, {"minLength", 1}}},
                       {"target", {{"type", "string"}, {"minLength", 1}}},
                       {"mode", {{"type", "string"}, {"enum", Json::array({"ro", "rw"})}}}}},
                     {"required", Json::array({"source", "target"})},
                     {"additionalProperties", false}});
  }
  return {};
}

Json Properties() {
  Json out = Json::object();
  for (const KeySpec& key : AllKeys()) {
    Json row = TypeOf(key);
    row["description"] = std::string(key.summary);
    out[std::string(key.name)] = std::move(row);
  }
  for (const Spelling& spelling : AllSpellings()) {
    Json row{{"type", "boolean"}};
    if (spelling.when_false.empty()) row["enum"] = Json::array({true});
    row["description"] = std::string(spelling.summary);
    out[std::string(spelling.name)] = std::move(row);
  }
  return out;
}

}  // namespace

std::string PolicySchema() {
  Json top = Properties();
  top["profile"] = {{"type", "object"},
                    {"propertyNames", {{"pattern", "^[A-Za-z0-9._-]+$"}}},
                    {"additionalProperties", {{"$ref", "#/definitions/settings"}}},
                    {"description", "named policies, chosen with --profile"}};
  const Json schema{
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "agent-sandbox policy"},
      {"type", "object"},
      {"properties", std::move(top)},
      {"additionalProperties", false},
      {"definitions",
       {{"settings",
         {{"type", "object"}, {"properties", Properties()}, {"additionalProperties", false}}}}}};
  return schema.dump(2) + "\n";
}

}  // namespace asb
